CANCEL JOB 'abc';
