-- schemas: main
SHOW ATTRIBUTES FOR dnnclasifier;
