CANCEL JOB everything;
