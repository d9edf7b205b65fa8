-- from 13
CREATE ROLE "odd Role""x";
CREATE ROLE plain_role;
CREATE ROLE "Größe";
CREATE ROLE gone;
CREATE TYPE mood AS ENUM ('sad', 'o k', 'happy', 'NULL', '');
ALTER TYPE mood ADD VALUE 'before' BEFORE 'sad';
CREATE SCHEMA other;
CREATE TYPE other.color AS ENUM ('red', 'blue "x"');
CREATE DOMAIN posint AS int CHECK (VALUE > 0);
CREATE DOMAIN posint2 AS posint;
CREATE DOMAIN names AS text[];
CREATE TYPE pair AS (a int, b text);
CREATE TYPE nested AS (p pair, ps pair[], m mood, d posint2, n numeric(10,4), t timestamptz);
CREATE TYPE empty AS ();
CREATE TYPE trange AS RANGE (subtype = text);
CREATE TYPE drange AS RANGE (subtype = float8);
CREATE TYPE changed AS (a int, gone text, c "char");
CREATE DOMAIN pairdom AS pair;
CREATE DOMAIN intrange AS int4range;

CREATE TABLE arrays (i int[], t text[], b box[], n numeric[], u uuid[], c "char"[], s int2[], d float8[], nm name[], v varchar(9)[], bp char(5)[], by bytea[], bo bool[], ts timestamp[], iv interval[]);
INSERT INTO arrays (i) VALUES ('{}'), ('{1}'), ('{1,NULL,3}'), ('{{1,2},{3,4}}'), ('[2:4]={1,2,3}'), ('[0:1][-1:0]={{1,2},{NULL,4}}'), ('{{{{{{1,2}}}}}}'), ('{{{1},{2},{3}},{{4},{5},{6}}}'),
  ('[1:1]={7}'), (array_fill(1, '{300}')), ('{NULL}'), ('{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,9}');
INSERT INTO arrays (t) VALUES ('{}'), ('{""}'), ('{NULL,"NULL","null","nUlL",nulls}'), ('{"a,b","c;d","{","}","\"","\\"," ","a b",x}'), (ARRAY[E'a\tb', E'a\nb', E'\r', chr(11), chr(12), chr(28), chr(133), chr(160), 'é', '(', '''']),
  (ARRAY[repeat('x', 126), repeat('y', 127), repeat('z', 300), 'q']), ('{{a,b},{"",NULL}}'), ('[-3:-2]={"a b",c}');
INSERT INTO arrays (b) VALUES ('{(1,2),(3,4);(0,0),(1,1)}'), ('{(1,2),(3,4)}');
INSERT INTO arrays (n) VALUES ('{1.50,NULL,-12345678901234567890.123,NaN,0}');
INSERT INTO arrays (u) VALUES ('{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,NULL}');
INSERT INTO arrays (c) VALUES ('{a,NULL,b," ",",",""}');
INSERT INTO arrays (s, d) VALUES ('{1,2,3}', '{1.5,NULL,-0,Infinity,1e300}');
INSERT INTO arrays (nm, v, bp) VALUES ('{abc,"x y",NULL}', '{a,"b,c"}', '{a,"b,c"}');
INSERT INTO arrays (by, bo) VALUES (ARRAY['\x00ff'::bytea, '', NULL], '{t,f,NULL}');
INSERT INTO arrays (ts, iv) VALUES ('{2020-01-01 00:00:00,infinity}', '{1 day,-1 mon 2 hours}');

CREATE TABLE others (m mood, ma mood[], c other.color, ca other.color[], d posint, da posint[], d2 posint2, nn names, nna names[], oi oid[], rc regclass[], rt regtype[], rp regprocedure[]);
INSERT INTO others (m, ma) SELECT e, ARRAY[e, NULL, 'NULL', ''] FROM unnest(enum_range(NULL::mood)) e;
INSERT INTO others (c, ca, d, da, d2, nn) VALUES ('red', '{red,"blue \"x\""}', 1, '{1,2}', 7, '{a,"b c"}');
INSERT INTO others (oi, rc, rt, rp) VALUES ('{0,1,4294967295}', '{0,pg_class,others,4294967295}'::regclass[], ARRAY['int'::regtype, 'bit(3)', 'int[]', 'mood', 'other.color', '0', 'varchar', '"char"'], '{sum(int4),0,now()}');

CREATE TABLE composites (p pair, pa pair[], n nested, na nested[], e empty, pd pairdom, ch changed, cha changed[], ar arrays);
INSERT INTO composites (p, pa) VALUES (ROW(1, 'x'), ARRAY[ROW(2, 'y z'), ROW(3, NULL), NULL]::pair[]), (ROW(NULL, NULL), '{}'), (ROW(1, ''), '{"(1,\"a\"\"b\\\\\\\\c\")"}'), (ROW(NULL, '(,)'), NULL),
  (ROW(5, E'"\\\t\n'), ARRAY[ROW(1, E'"\\ ')]::pair[]), (ROW(6, repeat('long ', 60)), ARRAY[ROW(7, repeat('q"', 100))]::pair[]);
INSERT INTO composites (n, na) SELECT x, ARRAY[x, NULL, x] FROM (VALUES (ROW(ROW(1, 'a b')::pair, ARRAY[ROW(2, 'c"d')::pair, NULL], 'o k', 5, 1.2345, '2020-02-03 04:05:06.789+00')::nested), (ROW(NULL, NULL, NULL, NULL, NULL, NULL)::nested)) v(x);
INSERT INTO composites (e, pd) VALUES (ROW()::empty, ROW(1, 'dom')::pair);
INSERT INTO composites (ch, cha) VALUES ((1, 'old', 'x'), ARRAY[(1, 'old', NULL)::changed, (NULL, NULL, 'y')::changed]);
INSERT INTO composites (ar) SELECT a FROM arrays a;
ALTER TYPE changed DROP ATTRIBUTE gone;
ALTER TYPE changed ADD ATTRIBUTE d text;
ALTER TYPE changed ADD ATTRIBUTE e int8;
INSERT INTO composites (ch, cha) VALUES ((1, 'x', 'new', 8), ARRAY[(1, NULL, 'new', 9)::changed]);

CREATE TABLE ranges (i int4range, b int8range, n numrange, d daterange, t tsrange, z tstzrange, x trange, f drange, ia int4range[], dom intrange);
INSERT INTO ranges (i, b, n) VALUES ('empty', 'empty', 'empty'), ('[1,5)', '(,7]', '[1.5,2.25]'), ('(,)', '[3,)', '(,1]'), ('[1,1]', '[-9223372036854775808,0]', '[NaN,NaN]');
INSERT INTO ranges (d, t, z) VALUES ('[2020-01-01,2020-02-01)', '[2020-01-01 00:00,2020-01-01 12:00]', '(,2020-01-01 00:00+00]'), ('[-infinity,infinity]', '[,infinity)', 'empty');
INSERT INTO ranges (x, f) VALUES ('[a,b]', '[1.5,2]'), ('["a b","c,d"]', '(-0,)'), ('["",x)', 'empty'), ('["\"\\","z\\"]', '(1,2)'), (trange(repeat('a', 200), repeat('b', 200)), NULL), ('(,"{[(")', NULL), (trange('a'||chr(11), 'b'), NULL);
INSERT INTO ranges (ia, dom) VALUES ('{"[1,2)",NULL,empty,"(,)"}', '[1,9)');

CREATE TABLE json_values (j jsonb, ja jsonb[], js json);
INSERT INTO json_values (j) VALUES ('null'), ('true'), ('1.50'), ('"a"'), ('[]'), ('{}'), ('[1,2,[3,{"a":null}],{}]'), ('{"b":1,"aa":2,"":[true,false,null]}'), ('"\"\\\/\b\f\n\r\t\u0001\u001f\u007fé€"'), ('[[[[[]]]]]'), ('-12345678901234567890123456789.000001'), ('1e300'), ('[0,-0.00,1e-20]'), ('"<&>"');
INSERT INTO json_values (j) SELECT jsonb_agg(i || repeat('x', i % 50)) FROM generate_series(1, 100) i;
INSERT INTO json_values (j) SELECT jsonb_object_agg('key' || i, CASE i % 4 WHEN 0 THEN to_jsonb(i / 7.0) WHEN 1 THEN to_jsonb(repeat('v', i)) WHEN 2 THEN to_jsonb(ARRAY[i]) ELSE 'null' END) FROM generate_series(1, 70) i;
INSERT INTO json_values (j) SELECT (repeat('[{"k":', 200) || '1' || repeat('}]', 200))::jsonb;
INSERT INTO json_values (ja, js) VALUES ('{"{\"a\": \"b c\"}",NULL,1}', ' { "a" : 1 } ');
ALTER TABLE json_values ALTER j SET STORAGE EXTERNAL;

CREATE TABLE acls (a aclitem, aa aclitem[]);
INSERT INTO acls VALUES ('=r/postgres', '{}'), ('"odd Role""x"=arwdDxt/plain_role', '{postgres=r*w*a/postgres,"\"odd Role\"\"x\"=UC*TcX/postgres"}'), ('plain_role=/"Größe"', NULL), ('gone=X*/gone', '{"=/gone"}');
DROP ROLE gone;
GRANT SELECT ON acls TO plain_role WITH GRANT OPTION;
GRANT UPDATE (a) ON acls TO "odd Role""x";
ALTER DEFAULT PRIVILEGES FOR ROLE plain_role GRANT SELECT ON TABLES TO PUBLIC;

CREATE TABLE vectors (o oidvector, i int2vector, oa oidvector[]);
INSERT INTO vectors VALUES ('', '', NULL), ('1', '-1', '{"1 2",""}'), ('4294967295 0 23', '32767 -32768 0', NULL);

CREATE FUNCTION other.f(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE TABLE regs (a regproc, b regprocedure, c regoper, d regoperator, e regclass, f regtype, g regconfig, h regdictionary, i regnamespace, j regrole);
INSERT INTO regs VALUES (0::oid, '0', 0::oid, '0', '0', '0', '0', '0', '0', '0'), ('now'::regproc::oid, 'sum(int4)', '||/'::regoper::oid, '+(int4,int4)', 'pg_class', 'numeric', 'english', 'simple', 'pg_catalog', '"odd Role""x"'),
  (4000000000::oid, '4000000000', 4000000000::oid, '4000000000', '4000000000', '4000000000', '4000000000', '4000000000', '4000000000', '4000000000'), ('sum(int4)'::regprocedure::oid, 'other.f(int)', '+(int4,int4)'::regoperator::oid, '-(NONE,int4)', 'regs', 'other.color[]', 'english', 'simple', 'other', 'plain_role');

CREATE FUNCTION pg_temp.make_like(name text, base text, inf text, outf text, more text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('CREATE TYPE %1$I; CREATE FUNCTION %1$s_in(cstring) RETURNS %1$I LANGUAGE internal IMMUTABLE STRICT AS %2$L;
    CREATE FUNCTION %1$s_out(%1$I) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS %3$L; CREATE TYPE %1$I (INPUT = %1$s_in, OUTPUT = %1$s_out, LIKE = %4$s %5$s)', name, inf, outf, base, more);
END $$;
SELECT pg_temp.make_like('label', 'text', 'textin', 'textout', ''), pg_temp.make_like('counter', 'int4', 'int4in', 'int4out', ''), pg_temp.make_like('yes', 'bool', 'boolin', 'boolout', $$, DELIMITER = ';'$$),
  pg_temp.make_like('angle', 'float8', 'float8in', 'float8out', ''), pg_temp.make_like('short', 'name', 'namein', 'nameout', ''), pg_temp.make_like('doc', 'jsonb', 'jsonb_in', 'jsonb_out', ''),
  pg_temp.make_like('oddly', 'text', 'textin', 'byteaout', ''), pg_temp.make_like('place', 'point', 'point_in', 'point_out', ''), pg_temp.make_like('owner', 'regclass', 'regclassin', 'regclassout', '');
CREATE DOMAIN labels AS label CHECK (true);
CREATE TABLE printed (l label, la label[], c counter, ca counter[], y yes[], a angle, s short, d doc, o oddly, p place[], w owner, ld labels, lda labels[]);
INSERT INTO printed VALUES ('a b', '{a,"b c",NULL,""}', '-7', '{1,NULL}', '{t;f;NULL}', '0.1', 'n', '{"a": [1, 2.50]}', 'bytes', '{"(1,2)"}', 'printed', 'x', '{x,"y\\z"}'), ('', '{}', '2147483647', NULL, '{}', 'NaN', '', '[]', '', NULL, '0', NULL, NULL);
INSERT INTO printed (l, o) SELECT label_in(textout(repeat(md5(i::text), 1000 * i))), oddly_in(textout(repeat('compress ', i * 100))) FROM generate_series(1, 3) i;

CREATE TABLE stats AS SELECT i % 10 a, i % 20 b, (i % 5)::text || ' "x"' c, ARRAY[i % 3, 1] d, ROW(i % 2, 'x y')::pair e, int4range(i % 4, 9) f, (i % 100)::numeric g, ('2020-01-01'::date + i % 9) h, 'sad'::mood m, i % 2 = 0 bo FROM generate_series(1, 2000) i;
CREATE STATISTICS st (ndistinct, dependencies, mcv) ON a, b, c FROM stats;
ANALYZE;
-- from 14
CREATE TABLE multiranges (i int4multirange, n nummultirange, t tsmultirange, x tmultirange, ia int4multirange[]);
INSERT INTO multiranges (i, n) VALUES ('{}', '{}'), ('{[1,2)}', '{[1.5,2],(3,)}'), ('{(,1),[3,5),[7,9),[11,)}', '{(,)}');
INSERT INTO multiranges (t, x) VALUES ('{[2020-01-01,2020-01-02),[2020-02-01,)}', '{[a,b],["c d",e],[f,)}'), ('{}', '{(,a),[bb,ccc],[dddd,eeeee]}');
INSERT INTO multiranges (ia) VALUES ('{"{[1,2),[4,6)}",NULL,"{}"}');
CREATE STATISTICS se ON (a + b), (c || 'x'), (d) FROM stats;
ANALYZE;
-- from 15
GRANT SET, ALTER SYSTEM ON PARAMETER work_mem TO plain_role;
INSERT INTO acls VALUES ('plain_role=sA*/postgres', NULL);
-- from 17
INSERT INTO acls VALUES ('plain_role=m*/postgres', NULL);
