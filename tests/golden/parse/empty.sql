-- nothing here
/* nor here; */ ;
