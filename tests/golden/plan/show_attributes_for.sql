-- schemas: main
SHOW ATTRIBUTES FOR dnnclassifier;
