/*
 * XXH3 of 64 bits in SQLite's SQL, which has integers of 64 bits, shifts, and sums that must stay
 * below 2^63: a number of 64 bits lies in two halves of 32, h above l, and of a product each half
 * is a sum of products of 32 bits by 16. Words of up to 8 bytes go by g2 to g6, longer ones by
 * pairs of 8 bytes, which q lists with the secret's numbers: t is 1 of 9 to 16 bytes, 2 of 17 to
 * 128, 3 of up to 240. Longer ones have no row.
 *
 *     h0(k, x)       a key, and the bytes of its word as hexadecimal digits
 *     hash(k, h, l)  the halves of its hash
 *
 * `|`, `&` and shifts bind alike in SQLite, from left to right, and sums before them. What ends a
 * subquery keeps SQLite from writing its formulas wherever they are used.
 */
#include "interop/formulas/formula_sqlite_words.h"

#include <stdlib.h>
#include <string.h>

#include "inputs/texts/text_words.h"
#include "interop/formulas/character_runs.h"
#include "interop/formulas/formula_sqlite.h"

#define ABREAST 24 /* choices one behind the other: the parser takes few within each other */

static const char hash[] =
    "h1(k,x,n) AS MATERIALIZED (SELECT k,x,length(x)/2 FROM h0 LIMIT -1 OFFSET 0),\n"
    "q(t,j,g,a,b,c,d) AS (VALUES (1,0,0,3930208697,1736602491,160846394,2941697083),\n"
    "(2,0,0,963444408,3192628259,746652028,481108471),\n"
    "(2,1,0,3916289246,3684143235,2762227826,526889911),\n"
    "(2,2,0,1323727307,2028323020,2110806658,561184716),\n"
    "(2,3,0,1950746808,2384741367,3868210656,1277573761),\n"
    "(2,4,0,3142723644,3405824913,2338705544,2737722139),\n"
    "(2,5,0,2538103921,1324944802,1190074680,3635207849),\n"
    "(2,6,0,1064762024,1060412643,3350977785,491719623),\n"
    "(2,7,0,1272992138,827962573,3380518856,1685289177),\n"
    "(3,0,0,963444408,3192628259,746652028,481108471),\n"
    "(3,1,0,3916289246,3684143235,2762227826,526889911),\n"
    "(3,2,0,1323727307,2028323020,2110806658,561184716),\n"
    "(3,3,0,1950746808,2384741367,3868210656,1277573761),\n"
    "(3,4,0,3142723644,3405824913,2338705544,2737722139),\n"
    "(3,5,0,2538103921,1324944802,1190074680,3635207849),\n"
    "(3,6,0,1064762024,1060412643,3350977785,491719623),\n"
    "(3,7,0,1272992138,827962573,3380518856,1685289177),\n"
    "(3,8,1,1269048121,2164358334,2904684332,1842667036),\n"
    "(3,9,1,2542830569,2755687131,1739831204,3866741535),\n"
    "(3,10,1,3854617678,3495592568,1929366653,1174976545),\n"
    "(3,11,1,608434036,2419449998,641368550,1378368588),\n"
    "(3,12,1,12816827,1708165323,777198475,1214542243),\n"
    "(3,13,1,4178420375,4011407438,2900273478,1996138712),\n"
    "(3,14,1,882697023,3151821119,1326172103,3763440157),\n"
    "(3,15,1,2124400689,1937299913,2898651748,3956487299)),\n"
    "h2(k,n,t,j,g,a,b,c,d,x,o,e) AS (SELECT k,n,t,j,g,a,b,c,d,x,CASE t WHEN 1 THEN 0 WHEN 2 THEN "
    "CASE j%2 WHEN 0 THEN 8*j ELSE n-8*(j+1) END ELSE CASE j WHEN 15 THEN n-16 ELSE 16*j END END,"
    "CASE t WHEN 1 THEN n-8 END FROM h1 JOIN q ON (t=1 AND n BETWEEN 9 AND 16) OR (t=2 AND n "
    "BETWEEN 17 AND 128 AND j/2<=(n-1)/32) OR (t=3 AND n BETWEEN 129 AND 240 AND (j=15 OR j<n/16)"
    ") LIMIT -1 OFFSET 0),\n"
    "h3(k,n,t,g,a,b,c,d) AS (SELECT k,n,t,g,((((instr('123456789ABCDEF',substr(x,2*(o)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(o)+2,1)))|((instr('123456789ABCDEF',substr(x,2*(o+1)+1,"
    "1))*16+instr('123456789ABCDEF',substr(x,2*(o+1)+2,1)))<<8)|((instr('123456789ABCDEF',"
    "substr(x,2*(o+2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+2)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(o+3)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+3)"
    "+2,1)))<<24))|a)&~(((instr('123456789ABCDEF',substr(x,2*(o)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(o)+2,1)))|((instr('123456789ABCDEF',substr(x,2*(o+1)+1,"
    "1))*16+instr('123456789ABCDEF',substr(x,2*(o+1)+2,1)))<<8)|((instr('123456789ABCDEF',"
    "substr(x,2*(o+2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+2)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(o+3)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+3)"
    "+2,1)))<<24))&a)),((((instr('123456789ABCDEF',substr(x,2*(o+4)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(o+4)+2,1)))|((instr('123456789ABCDEF',substr(x,2*(o+4+1)"
    "+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+4+1)+2,1)))<<8)|((instr('123456789ABCDEF',"
    "substr(x,2*(o+4+2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+4+2)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(o+4+3)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+"
    "4+3)+2,1)))<<24))|b)&~(((instr('123456789ABCDEF',substr(x,2*(o+4)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(o+4)+2,1)))|((instr('123456789ABCDEF',substr(x,2*(o+4+1)"
    "+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+4+1)+2,1)))<<8)|((instr('123456789ABCDEF',"
    "substr(x,2*(o+4+2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+4+2)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(o+4+3)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(o+"
    "4+3)+2,1)))<<24))&b)),((((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8))+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8))+2,1)))|((instr('123456789ABCDEF',"
    "substr(x,2*(coalesce(e,o+8)+1)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+"
    "1)+2,1)))<<8)|((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+2)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+2)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+3)+1,1))*16+instr('123456789ABCDEF',"
    "substr(x,2*(coalesce(e,o+8)+3)+2,1)))<<24))|c)&~(((instr('123456789ABCDEF',substr(x,"
    "2*(coalesce(e,o+8))+1,1))*16+instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8))+2,1)))|"
    "((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+1)+1,1))*16+instr('123456789ABCDEF',"
    "substr(x,2*(coalesce(e,o+8)+1)+2,1)))<<8)|((instr('123456789ABCDEF',substr(x,2*(coalesce(e,"
    "o+8)+2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+2)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+3)+1,1))*16+instr('123456789ABCDEF',"
    "substr(x,2*(coalesce(e,o+8)+3)+2,1)))<<24))&c)),((((instr('123456789ABCDEF',substr(x,"
    "2*(coalesce(e,o+8)+4)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4)+2,1)))"
    "|((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4+1)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4+1)+2,1)))<<8)|"
    "((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4+2)+1,1))*16+instr('123456789ABCDEF',"
    "substr(x,2*(coalesce(e,o+8)+4+2)+2,1)))<<16)|((instr('123456789ABCDEF',substr(x,"
    "2*(coalesce(e,o+8)+4+3)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4+3)+2,"
    "1)))<<24))|d)&~(((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4)+2,1)))|((instr('123456789ABCDEF',"
    "substr(x,2*(coalesce(e,o+8)+4+1)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+"
    "8)+4+1)+2,1)))<<8)|((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4+2)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4+2)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(coalesce(e,o+8)+4+3)+1,1))*16+instr('123456789ABCDEF',"
    "substr(x,2*(coalesce(e,o+8)+4+3)+2,1)))<<24))&d)) FROM h2 LIMIT -1 OFFSET 0),\n"
    "h4(k,n,t,g,a,b,c,d,u0,v0,u1,v1,u2,v2,u3,v3) AS (SELECT k,n,t,g,a,b,c,d,a*(c&65535),a*(c>>16)"
    ",a*(d&65535),a*(d>>16),b*(c&65535),b*(c>>16),b*(d&65535),b*(d>>16) FROM h3 LIMIT -1 OFFSET "
    "0),\n"
    "h5(k,n,t,g,a,b,c,d,l0,i0,l1,i1,l2,i2,l3,i3) AS (SELECT k,n,t,g,a,b,c,d,(u0+((v0&65535)<<16)&"
    "4294967295),((u0+((v0&65535)<<16)>>32)+(v0>>16)),(u1+((v1&65535)<<16)&4294967295),((u1+((v1&"
    "65535)<<16)>>32)+(v1>>16)),(u2+((v2&65535)<<16)&4294967295),((u2+((v2&65535)<<16)>>32)+"
    "(v2>>16)),(u3+((v3&65535)<<16)&4294967295),((u3+((v3&65535)<<16)>>32)+(v3>>16)) FROM h4 "
    "LIMIT -1 OFFSET 0),\n"
    "h6(k,n,t,g,a,b,c,d,l0,y,l3,i3,z) AS (SELECT k,n,t,g,a,b,c,d,l0,i0+l1+l2,l3,i3,l3+i1+i2+(i0+"
    "l1+l2>>32) FROM h5 LIMIT -1 OFFSET 0),\n"
    "h7(k,n,t,a,b,c,d,f,e,p,r) AS (SELECT k,n,t,min(a),min(b),min(c),min(d),sum(CASE g WHEN 0 "
    "THEN ((l0|(z&4294967295))&~(l0&(z&4294967295))) END),sum(CASE g WHEN 0 THEN (((y&4294967295)"
    "|(i3+(z>>32)&4294967295))&~((y&4294967295)&(i3+(z>>32)&4294967295))) END),sum(CASE g WHEN 1 "
    "THEN ((l0|(z&4294967295))&~(l0&(z&4294967295))) END),sum(CASE g WHEN 1 THEN (((y&4294967295)"
    "|(i3+(z>>32)&4294967295))&~((y&4294967295)&(i3+(z>>32)&4294967295))) END) FROM h6 GROUP BY "
    "k),\n"
    "h8(k,t,p,r,l,h) AS (SELECT k,t,p,r,f+CASE t WHEN 1 THEN n+(((b&255)<<24)|((b&65280)<<8)|"
    "((b>>8)&65280)|(b>>24))+c ELSE n*2246822535 END,e+CASE t WHEN 1 THEN (((a&255)<<24)|((a&"
    "65280)<<8)|((a>>8)&65280)|(a>>24))+d ELSE n*2654435761 END FROM h7 LIMIT -1 OFFSET 0),\n"
    "h9a(k,t,p,r,l,h) AS (SELECT k,t,p,r,(((l&4294967295)|((h+(l>>32)&4294967295)>>5))&~((l&"
    "4294967295)&((h+(l>>32)&4294967295)>>5))),h+(l>>32)&4294967295 FROM h8 LIMIT -1 OFFSET 0),\n"
    "h9b(k,t,p,r,l,h) AS (SELECT k,t,p,r,l*31225+((l*40503&65535)<<16),(l*40503>>16)+(l*26513+"
    "((l*5718&65535)<<16)&4294967295)+(h*31225+((h*40503&65535)<<16)&4294967295) FROM h9a LIMIT "
    "-1 OFFSET 0),\n"
    "h9(k,t,p,r,l,h) AS (SELECT k,t,p,r,(((l&4294967295)|(h+(l>>32)&4294967295))&~((l&4294967295)"
    "&(h+(l>>32)&4294967295))),h+(l>>32)&4294967295 FROM h9b LIMIT -1 OFFSET 0),\n"
    "g0(k,t,a,b,l,h) AS (SELECT k,t,l,h,l+coalesce(p,0),h+coalesce(r,0) FROM h9 LIMIT -1 OFFSET "
    "0),\n"
    "g1a(k,t,a,b,l,h) AS (SELECT k,t,a,b,(((l&4294967295)|((h+(l>>32)&4294967295)>>5))&~((l&"
    "4294967295)&((h+(l>>32)&4294967295)>>5))),h+(l>>32)&4294967295 FROM g0 LIMIT -1 OFFSET 0),\n"
    "g1b(k,t,a,b,l,h) AS (SELECT k,t,a,b,l*31225+((l*40503&65535)<<16),(l*40503>>16)+(l*26513+"
    "((l*5718&65535)<<16)&4294967295)+(h*31225+((h*40503&65535)<<16)&4294967295) FROM g1a LIMIT "
    "-1 OFFSET 0),\n"
    "g1(k,t,a,b,l,h) AS (SELECT k,t,a,b,(((l&4294967295)|(h+(l>>32)&4294967295))&~((l&4294967295)"
    "&(h+(l>>32)&4294967295))),h+(l>>32)&4294967295 FROM g1b LIMIT -1 OFFSET 0),\n"
    "g2(k,n,s) AS (SELECT k,n,CASE WHEN n>3 THEN ((((((instr('123456789ABCDEF',substr(x,2*(0)+1,"
    "1))*16+instr('123456789ABCDEF',substr(x,2*(0)+2,1)))|((instr('123456789ABCDEF',substr(x,"
    "2*(0+1)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(0+1)+2,1)))<<8)|"
    "((instr('123456789ABCDEF',substr(x,2*(0+2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(0+2)"
    "+2,1)))<<16)|((instr('123456789ABCDEF',substr(x,2*(0+3)+1,1))*16+instr('123456789ABCDEF',"
    "substr(x,2*(0+3)+2,1)))<<24))<<32)|((instr('123456789ABCDEF',substr(x,2*(n-4)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(n-4)+2,1)))|((instr('123456789ABCDEF',substr(x,2*(n-4+1)"
    "+1,1))*16+instr('123456789ABCDEF',substr(x,2*(n-4+1)+2,1)))<<8)|((instr('123456789ABCDEF',"
    "substr(x,2*(n-4+2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(n-4+2)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(n-4+3)+1,1))*16+instr('123456789ABCDEF',substr(x,"
    "2*(n-4+3)+2,1)))<<24)))|(-4090762196417718878))&~(((((instr('123456789ABCDEF',substr(x,2*(0)"
    "+1,1))*16+instr('123456789ABCDEF',substr(x,2*(0)+2,1)))|((instr('123456789ABCDEF',substr(x,"
    "2*(0+1)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(0+1)+2,1)))<<8)|"
    "((instr('123456789ABCDEF',substr(x,2*(0+2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(0+2)"
    "+2,1)))<<16)|((instr('123456789ABCDEF',substr(x,2*(0+3)+1,1))*16+instr('123456789ABCDEF',"
    "substr(x,2*(0+3)+2,1)))<<24))<<32)|((instr('123456789ABCDEF',substr(x,2*(n-4)+1,1))*16+"
    "instr('123456789ABCDEF',substr(x,2*(n-4)+2,1)))|((instr('123456789ABCDEF',substr(x,2*(n-4+1)"
    "+1,1))*16+instr('123456789ABCDEF',substr(x,2*(n-4+1)+2,1)))<<8)|((instr('123456789ABCDEF',"
    "substr(x,2*(n-4+2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(n-4+2)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(n-4+3)+1,1))*16+instr('123456789ABCDEF',substr(x,"
    "2*(n-4+3)+2,1)))<<24)))&(-4090762196417718878))) WHEN n>0 THEN (((((instr('123456789ABCDEF',"
    "substr(x,2*(0)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(0)+2,1)))<<16)|"
    "((instr('123456789ABCDEF',substr(x,2*(n/2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(n/2)"
    "+2,1)))<<24)|(instr('123456789ABCDEF',substr(x,2*(n-1)+1,1))*16+instr('123456789ABCDEF',"
    "substr(x,2*(n-1)+2,1)))|(n<<8))|2267503259)&~((((instr('123456789ABCDEF',substr(x,2*(0)+1,1)"
    ")*16+instr('123456789ABCDEF',substr(x,2*(0)+2,1)))<<16)|((instr('123456789ABCDEF',substr(x,"
    "2*(n/2)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(n/2)+2,1)))<<24)|"
    "(instr('123456789ABCDEF',substr(x,2*(n-1)+1,1))*16+instr('123456789ABCDEF',substr(x,2*(n-1)+"
    "2,1)))|(n<<8))&2267503259)) ELSE -8707998980786479652 END FROM h1 WHERE n<9 LIMIT -1 OFFSET "
    "0),\n"
    "g3(k,n,s) AS (SELECT k,n,CASE WHEN n>3 THEN ((s|((((s<<49)|((s>>15)&562949953421311))|"
    "((s<<24)|((s>>40)&16777215)))&~(((s<<49)|((s>>15)&562949953421311))&((s<<24)|((s>>40)&"
    "16777215)))))&~(s&((((s<<49)|((s>>15)&562949953421311))|((s<<24)|((s>>40)&16777215)))&"
    "~(((s<<49)|((s>>15)&562949953421311))&((s<<24)|((s>>40)&16777215)))))) ELSE ((s|((s>>33)&"
    "2147483647))&~(s&((s>>33)&2147483647))) END FROM g2 LIMIT -1 OFFSET 0),\n"
    "g4a(k,n,l,h,p,q,r,z) AS (SELECT k,n,s&4294967295,s>>32&4294967295,CASE WHEN n>3 THEN 57125 "
    "ELSE 60239 END,CASE WHEN n>3 THEN 7832 ELSE 10196 END,CASE WHEN n>3 THEN 7269 ELSE 44605 "
    "END,CASE WHEN n>3 THEN 40882 ELSE 49842 END FROM g3 LIMIT -1 OFFSET 0),\n"
    "g4b(k,n,l,h) AS (SELECT k,n,l*p+((l*q&65535)<<16),(l*q>>16)+(l*r+((l*z&65535)<<16)&"
    "4294967295)+(h*p+((h*q&65535)<<16)&4294967295) FROM g4a LIMIT -1 OFFSET 0),\n"
    "g4(k,n,s) AS (SELECT k,n,(h+(l>>32)&4294967295)<<32|(l&4294967295) FROM g4b LIMIT -1 OFFSET "
    "0),\n"
    "g5(k,n,s) AS (SELECT k,n,CASE WHEN n>3 THEN ((s|(((s>>35)&536870911)+n))&~(s&(((s>>35)&"
    "536870911)+n))) ELSE ((s|((s>>29)&34359738367))&~(s&((s>>29)&34359738367))) END FROM g4 "
    "LIMIT -1 OFFSET 0),\n"
    "g6a(k,n,l,h,p,q,r,z) AS (SELECT k,n,s&4294967295,s>>32&4294967295,CASE WHEN n>3 THEN 57125 "
    "ELSE 31225 END,CASE WHEN n>3 THEN 7832 ELSE 40503 END,CASE WHEN n>3 THEN 7269 ELSE 26545 "
    "END,CASE WHEN n>3 THEN 40882 ELSE 5718 END FROM g5 LIMIT -1 OFFSET 0),\n"
    "g6b(k,n,l,h) AS (SELECT k,n,l*p+((l*q&65535)<<16),(l*q>>16)+(l*r+((l*z&65535)<<16)&"
    "4294967295)+(h*p+((h*q&65535)<<16)&4294967295) FROM g6a LIMIT -1 OFFSET 0),\n"
    "g6(k,n,s) AS (SELECT k,n,(h+(l>>32)&4294967295)<<32|(l&4294967295) FROM g6b LIMIT -1 OFFSET "
    "0),\n"
    "hash(k,h,l) AS (SELECT k,CASE t WHEN 3 THEN h ELSE b END,CASE t WHEN 3 THEN l ELSE a END "
    "FROM g1 UNION ALL SELECT k,s>>32&4294967295,s&4294967295 FROM (SELECT k,CASE WHEN n>3 THEN "
    "((s|((s>>28)&68719476735))&~(s&((s>>28)&68719476735))) ELSE ((s|((s>>32)&4294967295))&~(s&"
    "((s>>32)&4294967295))) END AS s FROM g6 LIMIT -1 OFFSET 0))\n";

/* The bucket of a hash below `buckets`, from its halves. */
static void append_bucket(struct text *out, uint32_t buckets)
{
    text_printf(out, "((h%%%u)*4294967296+l)%%%u", buckets, buckets);
}

static void append_hash(const struct sql_printer *printer, const char *bytes, uint32_t buckets)
{
    text_printf(printer->out, "(WITH h0(k,x) AS (SELECT 0,%s),\n%s\nSELECT CAST(", bytes, hash);
    append_bucket(printer->out, buckets);
    text_append_string(printer->out, " AS REAL) FROM hash)");
}

/* The text of a cell: of a real number the digits that the extension writes. */
static void append_text(const struct sql_printer *printer, uint32_t column)
{
    sqlite_cell(printer, column,
                "CASE typeof(@) WHEN 'null' THEN NULL WHEN 'text' THEN @ WHEN 'integer' THEN "
                "CAST(@ AS TEXT) WHEN 'real' THEN CASE WHEN @=CAST(@ AS INTEGER) AND abs(@)<9.2e18 "
                "THEN CAST(CAST(@ AS INTEGER) AS TEXT) WHEN CAST(printf('%.15g',@) AS REAL)=@ THEN "
                "printf('%.15g',@) ELSE ");
    sqlite_refusal(printer, column, "number of at most 15 digits");
    text_append_string(printer->out, " END ELSE ");
    sqlite_refusal(printer, column, "text or number");
    text_append_string(printer->out, " END");
}

/* (SELECT CASE WHEN w IS NULL THEN `missing` ELSE, of the cell's text w. */
static void begin_word(const struct sql_printer *printer, uint32_t column, const char *missing)
{
    text_printf(printer->out,
                "(SELECT CASE WHEN w IS NULL THEN %s WHEN length(CAST(w AS BLOB))>240 THEN ",
                missing);
    sqlite_refusal(printer, column, "word of at most 240 bytes");
    text_append_string(printer->out, " ELSE ");
}

static void end_word(const struct sql_printer *printer, uint32_t column)
{
    text_append_string(printer->out, " END FROM (SELECT ");
    append_text(printer, column);
    text_append_string(printer->out, " AS w LIMIT 1))");
}

static void read_hash(const struct sql_printer *printer, const struct formula *cell)
{
    begin_word(printer, cell->index, "NULL");
    append_hash(printer, "hex(CAST(w AS BLOB))", cell->count);
    end_word(printer, cell->index);
}

/* The 8 bytes of a hash, the least first, as digits. */
static void append_key(const struct sql_printer *printer, const char *bytes)
{
    text_printf(printer->out,
                "(WITH h0(k,x) AS (SELECT 0,%s),\n%s\nSELECT printf("
                "'%%02X%%02X%%02X%%02X%%02X%%02X%%02X%%02X',l&255,(l>>8)&255,(l>>16)&255,l>>24,"
                "h&255,(h>>8)&255,(h>>16)&255,h>>24) FROM hash)",
                bytes, hash);
}

static void read_cross(const struct sql_printer *printer, const struct formula *cell)
{
    text_append_string(printer->out, "(SELECT ");
    append_hash(printer, "w", cell->cross->buckets);
    text_append_string(printer->out, " FROM (SELECT ");
    for (uint32_t i = 0; i < cell->count; i++) {
        text_append_string(printer->out, i ? "||" : "");
        if (cell->terms[i]) {
            text_append_string(printer->out,
                               "(SELECT CASE WHEN w IS NULL THEN '0000000000000000' ELSE ");
            append_key(printer, "hex(CAST(CAST(w AS INTEGER) AS TEXT))");
            text_append_string(printer->out, " END FROM (SELECT ");
            sql_formula(printer, cell->terms[i]);
            text_append_string(printer->out, " AS w LIMIT 1))");
        } else {
            begin_word(printer, cell->cross->columns[i].cell, "'0000000000000000'");
            append_key(printer, "hex(CAST(w AS BLOB))");
            end_word(printer, cell->cross->columns[i].cell);
        }
    }
    text_append_string(printer->out, " AS w LIMIT 1))");
}

/* ----- texts ----- */

/* WHEN u BETWEEN ... THEN n, for runs of characters of one class that is not IN_WORD. */
static void append_classes(struct text *out)
{
    struct class_run run;

    for (uint32_t first = 0x80; first < CHARACTER_POINTS; first = run.last + 1) {
        run = class_run_of(first);
        if (run.class != IN_WORD)
            text_printf(out, " WHEN u BETWEEN %u AND %u THEN %d", run.first, run.last,
                        run.class == ALONE ? 2 : 0);
    }
}

static void append_capitals(struct text *out)
{
    struct capital_run run = {.last = 0x80 - 1};

    while (capital_run_find(run.last + 1, &run))
        text_printf(out, " WHEN u BETWEEN %u AND %u AND (u-%u)%%%u=0 THEN u%+d", run.first,
                    run.last, run.first, run.step, (int)run.shift);
}

/* The words of w as m(o, x), in their order, as digits. Row by row: u is a character's number, q
 * its class and s its digits, in the row behind, and v, in the next one, the word that it belongs
 * to; x the word that ends before it. g refuses bytes that are no UTF-8. */
static void append_words(const struct sql_printer *printer, uint32_t column)
{
    struct text *out = printer->out;

    text_append_string(
        out, "z(p,u,o,g,q,s,v,y,x) AS (SELECT 0,-1,'',0,0,'','',0,'' UNION ALL SELECT "
             "p+1,coalesce(unicode(substr(w,p+1,1)),-1),hex(CAST(substr(w,p+1,1) AS BLOB)),"
             "CASE WHEN u>=0 AND hex(CAST(char(u) AS BLOB))<>o THEN ");
    sqlite_refusal(printer, column, "text of UTF-8");
    text_append_string(out, " END,CASE WHEN u<128 THEN u BETWEEN 97 AND 122 OR u BETWEEN 48 AND 57 "
                            "OR u BETWEEN 65 AND 90");
    append_classes(out);
    text_append_string(out, " ELSE 1 END,hex(CAST(char(CASE WHEN u<128 THEN CASE WHEN u BETWEEN 65 "
                            "AND 90 THEN u+32 ELSE u END");
    append_capitals(out);
    text_append_string(
        out, " ELSE u END) AS BLOB)),CASE q WHEN 0 THEN '' WHEN 1 THEN CASE WHEN y THEN s WHEN "
             "length(v)+length(s)<=240 THEN v||s ELSE substr(v||printf('%0240d',0),1,240) END "
             "ELSE s END,q=2,CASE WHEN q<>1 OR y THEN v ELSE '' END FROM z WHERE p<length(w)+3),\n"
             "m(o,x) AS (SELECT p,x FROM z WHERE x<>''),\n");
}

static int compare_words(const void *a, const void *b)
{
    return slice_compare(**(const struct slice *const *)a, **(const struct slice *const *)b);
}

static void append_digits(struct text *out, struct slice bytes)
{
    text_append_char(out, '\'');
    for (size_t i = 0; i < bytes.size; i++)
        text_printf(out, "%02X", (unsigned char)bytes.data[i]);
    text_append_char(out, '\'');
}

/* The place of x among the words, by ABREAST groups of them; NULL: it is none of them. */
static void append_places(struct text *out, const struct slice *words,
                          const struct slice *const *sorted, uint32_t count)
{
    const uint32_t group = count <= ABREAST ? 1 : (count + ABREAST - 1) / ABREAST;

    text_append_string(out, count == 0 ? "NULL" : group == 1 ? "CASE x" : "CASE");
    for (uint32_t first = 0; first < count; first += group) {
        const bool is_last = count - first <= group;

        if (group == 1) {
            text_append_string(out, " WHEN ");
            append_digits(out, *sorted[first]);
            text_printf(out, " THEN %u", (unsigned)(sorted[first] - words));
            continue;
        }
        text_append_string(out, is_last ? " ELSE " : " WHEN x<");
        if (!is_last) {
            append_digits(out, *sorted[first + group]);
            text_append_string(out, " THEN ");
        }
        append_places(out, words, sorted + first, is_last ? count - first : group);
    }
    text_append_string(out, count > 0 ? " END" : "");
}

/* f(o, i): the terms in their order, by the id that each selects, or by NULL. */
static void append_ids(const struct sql_printer *printer, const struct formula *cell,
                       uint32_t buckets)
{
    struct text *out = printer->out;
    const struct slice **sorted;

    if (buckets > 0) {
        text_append_string(out, "h0(k,x) AS (SELECT o,CASE WHEN length(x)>480 THEN ");
        sqlite_refusal(printer, cell->index, "pair of words of at most 240 bytes");
        text_printf(out, " ELSE x END FROM b),\n%s,\nf(o,j,i) AS (SELECT k,", hash);
        append_bucket(out, buckets);
        text_append_string(out, ",");
        append_bucket(out, buckets);
        text_append_string(out, " FROM hash),\n");
        return;
    }
    sorted = calloc((size_t)cell->count + 1, sizeof *sorted);
    out->failed |= !sorted;
    for (uint32_t i = 0; sorted && i < cell->count; i++)
        sorted[i] = &cell->words[i];
    if (sorted && cell->count > 0)
        qsort(sorted, cell->count, sizeof *sorted, compare_words);
    text_append_string(out, "f(o,j,i) AS (SELECT o,x,");
    if (sorted)
        append_places(out, cell->words, sorted, cell->count);
    text_append_string(out, " FROM b),\n");
    free(sorted);
}

/* A number for each i in [first, end), by ABREAST groups of them. */
static void append_numbers(const struct sql_printer *printer, const double *numbers, uint32_t first,
                           uint32_t end)
{
    const uint32_t group = (end - first + ABREAST - 1) / ABREAST;
    bool is_same = true;

    for (uint32_t i = first + 1; i < end && is_same; i++)
        is_same = numbers[i] == numbers[first];
    if (is_same) {
        sql_number(printer, first < end ? numbers[first] : 0);
        return;
    }
    text_append_string(printer->out, "CASE");
    for (; end - first > group; first += group) {
        text_printf(printer->out, " WHEN i<%u THEN ", first + group);
        append_numbers(printer, numbers, first, first + group);
    }
    text_append_string(printer->out, " ELSE ");
    append_numbers(printer, numbers, first, end);
    text_append_string(printer->out, " END");
}

/* The terms as JSON: [[id, weight], ...]. */
static void read_terms(const struct sql_printer *printer, const struct formula *cell)
{
    static const char *const divisors[] = {[COMBINER_SUM] = "1.0",
                                           [COMBINER_MEAN] = "sum(c) OVER ()",
                                           [COMBINER_SQRTN] = "sqrt(sum(c*c) OVER ())"};
    const struct formula_text how = formula_text_of(cell);
    struct text *out = printer->out;

    text_append_string(out, "(SELECT CASE WHEN w IS NULL THEN '[]' WHEN instr(CAST(w AS BLOB),"
                            "x'00') THEN ");
    sqlite_refusal(printer, cell->index, "text without a zero byte");
    text_append_string(out, " ELSE (WITH RECURSIVE ");
    append_words(printer, cell->index);
    text_append_string(
        out, how.has_pairs ? "b(o,x) AS (SELECT 2*o+t,CASE t WHEN 0 THEN x ELSE e||'20'||x END "
                             "FROM (SELECT o,x,lag(x) OVER (ORDER BY o) AS e FROM m),(SELECT "
                             "0 AS t UNION ALL SELECT 1) WHERE t=0 OR e IS NOT NULL),\n"
                           : "b(o,x) AS (SELECT o,x FROM m),\n");
    append_ids(printer, cell, how.buckets);
    /* l: the place where a text ends that has as many different terms as may be */
    text_printf(out,
                "d(o,j,i,k) AS (SELECT o,j,i,dense_rank() OVER (ORDER BY e) FROM (SELECT o,j,i,"
                "min(o) OVER (PARTITION BY j) AS e FROM f)),\n"
                "l(o,j,i,k,l) AS (SELECT o,j,i,k,CASE WHEN max(k) OVER ()>=%u THEN min(CASE k WHEN "
                "%u THEN o END) OVER () END FROM d),\nn(i,c) AS (SELECT min(i),",
                how.most, how.most);
    text_append_string(out, how.is_counted ? "1.0*count(*)" : "1.0");
    text_printf(out, " FROM l WHERE k<=%u AND i IS NOT NULL%s GROUP BY j),\n", how.most,
                how.ends_full ? " AND (l IS NULL OR o<=l)" : "");
    text_append_string(out, "e(i,c) AS (SELECT i,c");
    if (cell->numbers) {
        text_append_string(out, "*");
        append_numbers(printer, cell->numbers, 0, cell->count);
    }
    text_printf(
        out,
        " FROM n)\nSELECT json_group_array(json_array(i,c/y)) FROM (SELECT i,c,%s AS y FROM "
        "e)) END FROM (SELECT ",
        divisors[how.combiner]);
    append_text(printer, cell->index);
    text_append_string(out, " AS w LIMIT 1))");
}

static void terms_sum(const struct sql_printer *printer, const struct formula *formula)
{
    text_append_string(printer->out, "(SELECT coalesce(sum(c*");
    append_numbers(printer, formula->numbers, 0, formula->count);
    text_append_string(printer->out, "),0.0) FROM (SELECT json_extract(value,'$[0]') AS i,"
                                     "json_extract(value,'$[1]') AS c FROM json_each(");
    sql_formula(printer, formula->a);
    text_append_string(printer->out, ") LIMIT -1 OFFSET 0))");
}

static void terms_of(const struct sql_printer *printer, const struct formula *formula)
{
    text_append_string(printer->out,
                       "(SELECT coalesce(max(json_extract(value,'$[1]')),0.0) FROM json_each(");
    sql_formula(printer, formula->a);
    text_printf(printer->out, ") WHERE json_extract(value,'$[0]')=%.0f)", formula->number);
}

bool sqlite_read_words(const struct sql_printer *printer, const struct formula *cell)
{
    switch (cell->op) {
    case FORMULA_READ_HASH:
        read_hash(printer, cell);
        break;
    case FORMULA_READ_CROSS:
        read_cross(printer, cell);
        break;
    case FORMULA_READ_TERMS:
        read_terms(printer, cell);
        break;
    case FORMULA_TERMS_SUM:
        terms_sum(printer, cell);
        break;
    case FORMULA_TERMS_OF:
        terms_of(printer, cell);
        break;
    default:
        return false;
    }
    return true;
}
