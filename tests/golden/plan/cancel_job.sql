-- schemas: main
CANCEL JOB 12;
