package cluster

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// trees are partitioned tables and inheritance trees whose children are made in
// another order than they are scanned in. Each leaf gets a row.
const trees = `
CREATE TYPE mood AS ENUM ('sad', 'ok');
ALTER TYPE mood ADD VALUE 'angry' BEFORE 'sad';
CREATE TABLE ri(a int) PARTITION BY RANGE (a);
CREATE TABLE ri_d PARTITION OF ri DEFAULT;
CREATE TABLE ri3 PARTITION OF ri FOR VALUES FROM (100) TO (200);
CREATE TABLE ri1 PARTITION OF ri FOR VALUES FROM (MINVALUE) TO (-5);
CREATE TABLE ri4 PARTITION OF ri FOR VALUES FROM (300) TO (MAXVALUE);
CREATE TABLE ri2 PARTITION OF ri FOR VALUES FROM (-5) TO (100);
INSERT INTO ri VALUES (-100), (0), (150), (250), (1000);

CREATE TABLE rm(a int, b text COLLATE "C", c date) PARTITION BY RANGE (a, b, c);
CREATE TABLE rm3 PARTITION OF rm FOR VALUES FROM (1, 'm', '2020-01-01') TO (1, 'z', MINVALUE);
CREATE TABLE rm2 PARTITION OF rm FOR VALUES FROM (1, 'b', MINVALUE) TO (1, 'm', '2020-01-01');
CREATE TABLE rm1 PARTITION OF rm FOR VALUES FROM (MINVALUE, MINVALUE, MINVALUE) TO (1, 'b', MINVALUE);
CREATE TABLE rm4 PARTITION OF rm FOR VALUES FROM (1, 'z', MINVALUE) TO (2, MAXVALUE, MAXVALUE);
INSERT INTO rm VALUES (0, 'q', '2021-01-01'), (1, 'c', '2021-01-01'), (1, 'n', '2021-01-01'), (2, 'n', '2021-01-01');

CREATE TABLE lt(a text COLLATE "C") PARTITION BY LIST (a);
CREATE TABLE lt_d PARTITION OF lt DEFAULT;
CREATE TABLE lt_n PARTITION OF lt FOR VALUES IN (NULL);
CREATE TABLE lt3 PARTITION OF lt FOR VALUES IN ('x', 'é', 'm''{}\ <>');
CREATE TABLE lt2 PARTITION OF lt FOR VALUES IN ('zz', 'b');
CREATE TABLE lt1 PARTITION OF lt FOR VALUES IN ('q', 'B', '');
INSERT INTO lt VALUES ('other'), (NULL), ('x'), ('b'), ('q');

CREATE TABLE ln(a numeric) PARTITION BY LIST (a);
CREATE TABLE ln3 PARTITION OF ln FOR VALUES IN (1e30, 'NaN');
CREATE TABLE ln2 PARTITION OF ln FOR VALUES IN (1.5, 10, NULL);
CREATE TABLE ln1 PARTITION OF ln FOR VALUES IN (-1.25, 1.49);
INSERT INTO ln VALUES ('NaN'), (10), (1.49);

CREATE TABLE le(a mood) PARTITION BY LIST (a);
CREATE TABLE le2 PARTITION OF le FOR VALUES IN ('sad');
CREATE TABLE le3 PARTITION OF le FOR VALUES IN ('ok');
CREATE TABLE le1 PARTITION OF le FOR VALUES IN ('angry');
INSERT INTO le VALUES ('sad'), ('ok'), ('angry');

CREATE TABLE lb(a bool) PARTITION BY LIST (a);
CREATE TABLE lb2 PARTITION OF lb FOR VALUES IN (true);
CREATE TABLE lb1 PARTITION OF lb FOR VALUES IN (false);
INSERT INTO lb VALUES (true), (false);

CREATE TABLE rf(a float8) PARTITION BY RANGE (a);
CREATE TABLE rf3 PARTITION OF rf FOR VALUES FROM ('Infinity') TO ('NaN');
CREATE TABLE rf2 PARTITION OF rf FOR VALUES FROM (-0.5) TO ('Infinity');
CREATE TABLE rf1 PARTITION OF rf FOR VALUES FROM ('-Infinity') TO (-0.5);
INSERT INTO rf VALUES ('Infinity'), (1), (-1);

CREATE TABLE rt(a timestamptz, b uuid, c bigint) PARTITION BY RANGE (a, b, c);
CREATE TABLE rt2 PARTITION OF rt FOR VALUES FROM ('2020-01-01 00:00Z', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 5) TO ('2021-01-01 00:00Z', MAXVALUE, MAXVALUE);
CREATE TABLE rt1 PARTITION OF rt FOR VALUES FROM ('1999-01-01 00:00Z', '00eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', -5) TO ('2020-01-01 00:00Z', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 5);
INSERT INTO rt VALUES ('2020-06-01 00:00Z', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1), ('2001-01-01 00:00Z', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1);

CREATE TABLE hh(a int) PARTITION BY HASH (a);
CREATE TABLE hh3 PARTITION OF hh FOR VALUES WITH (MODULUS 4, REMAINDER 3);
CREATE TABLE hh1 PARTITION OF hh FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE hh0 PARTITION OF hh FOR VALUES WITH (MODULUS 2, REMAINDER 0);
INSERT INTO hh SELECT generate_series(1, 50);

CREATE TABLE sub(a int, b int) PARTITION BY RANGE (a);
CREATE TABLE sub2 PARTITION OF sub FOR VALUES FROM (10) TO (20) PARTITION BY LIST (b);
CREATE TABLE sub2b PARTITION OF sub2 FOR VALUES IN (2);
CREATE TABLE sub2a PARTITION OF sub2 FOR VALUES IN (1);
CREATE TABLE sub1 PARTITION OF sub FOR VALUES FROM (0) TO (10);
CREATE TABLE sub0 PARTITION OF sub DEFAULT;
INSERT INTO sub VALUES (5, 1), (15, 1), (15, 2), (99, 9);

CREATE TABLE one(a int) PARTITION BY LIST (a);
CREATE TABLE one1 PARTITION OF one FOR VALUES IN (1);
INSERT INTO one VALUES (1);

CREATE TABLE inh(a int);
CREATE TABLE inh_b() INHERITS (inh);
CREATE TABLE inh_a() INHERITS (inh);
CREATE TABLE inh_ab() INHERITS (inh_a, inh_b);
CREATE TABLE inh_bb() INHERITS (inh_b);
INSERT INTO inh VALUES (1); INSERT INTO inh_a VALUES (1); INSERT INTO inh_b VALUES (1); INSERT INTO inh_ab VALUES (1); INSERT INTO inh_bb VALUES (1);
`

// TestExpand holds the order of children against that of a server's scan.
func TestExpand(t *testing.T) {
	roots := []string{"ri", "rm", "lt", "ln", "le", "lb", "rf", "rt", "hh", "sub", "one", "inh"}
	eachVersion(t, func(t *testing.T, major int) {
		s := pgtest.New(t, major, pgtest.Options{})
		s.Start()
		s.SQL("postgres", trees)
		o := s.Oracle("postgres")
		want := map[string][]string{}
		for _, root := range roots {
			for _, row := range o.Query("SELECT tableoid::regclass FROM " + root) {
				if n := len(want[root]); n == 0 || want[root][n-1] != *row[0] {
					want[root] = append(want[root], *row[0])
				}
			}
		}
		o.Close()
		s.Stop()

		warned := 0
		d := openTest(t, attachTest(t, s.Dir(), Options{Warn: func(string) { warned++ }}), "postgres")
		for _, root := range roots {
			require.NotEmpty(t, want[root], root)
			rel, err := d.RelationByName(context.Background(), "public", root)
			require.NoError(t, err)
			parts, err := d.Expand(context.Background(), rel)
			require.NoError(t, err, root)
			var got []string
			for _, p := range parts {
				got = append(got, p.Name)
			}
			require.Equal(t, want[root], got, root)
		}
		require.Zero(t, warned)
	})
}

// FuzzParseBound feeds bounds that no server wrote.
func FuzzParseBound(f *testing.F) {
	for _, s := range []string{
		"{PARTITIONBOUNDSPEC :strategy h :is_default false :modulus 4 :remainder 3 :listdatums <> :lowerdatums <> :upperdatums <> :location -1}",
		"{PARTITIONBOUNDSPEC :strategy l :is_default false :modulus 0 :remainder 0 :listdatums ({CONST :consttype 23 :consttypmod -1 :constcollid 0 " +
			":constlen 4 :constbyval true :constisnull false :location 69 :constvalue 4 [ 1 0 0 0 0 0 0 0 ]}) :lowerdatums <> :upperdatums <> :location 60}",
		"{PARTITIONBOUNDSPEC :strategy r :is_default false :lowerdatums ({PARTITIONRANGEDATUM :kind 0 :value {CONST :consttype 25 :constlen -1 " +
			":constbyval false :constisnull false :constvalue 6 [ 24 0 0 0 97 -61 ]} :location 1} {PARTITIONRANGEDATUM :kind -1 :value <> :location 2})}",
		"{PARTITIONBOUNDSPEC :strategy l :listdatums ({CONST :consttype 25 :constlen -1 :constisnull true :constvalue <>})}", "{((((", "{A :b", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := parseBound(text)
		if err != nil {
			return
		}
		require.Contains(t, "lrh", string(b.strategy))
		for _, c := range b.list {
			if o, ok := scalarOrder[c.typ]; ok {
				require.Zero(t, o.compare(c.bytes, c.bytes))
			}
		}
	})
}
