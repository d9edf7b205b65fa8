package tests

import (
	"testing"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// TestWraparound takes transaction and multixact ids over the end of their 32 bits. Only 15 has pg_resetwal here.
func TestWraparound(t *testing.T) {
	s := pgtest.New(t, 15, pgtest.Options{})
	s.Start()
	s.AllowTemplate0()
	s.SQL("postgres", "CREATE TABLE early (a int); INSERT INTO early SELECT generate_series(1, 100); DELETE FROM early WHERE a < 10")
	freeze(s)
	s.Stop()
	// A jump may not pass half of the id space, or old ids would look like future ones. pg_xact's pages must exist where it lands.
	s.WriteFile("pg_xact/07FF", make([]byte, 256<<10))
	s.Program("pg_resetwal", "-D", s.Dir(), "-x", "2147000000")
	s.Start()
	s.SQL("postgres", "CREATE TABLE middle (a int); INSERT INTO middle VALUES (1), (2); BEGIN; DELETE FROM middle; ROLLBACK")
	freeze(s)
	s.Stop()
	s.WriteFile("pg_xact/0FFF", make([]byte, 256<<10))
	s.WriteFile("pg_multixact/offsets/FFFF", make([]byte, 256<<10))
	s.Program("pg_resetwal", "-D", s.Dir(), "-x", "4294967000", "-m", "4294967290,4294967290")
	s.Start()
	s.SQL("postgres", `CREATE TABLE over (a int); CREATE PROCEDURE burn() LANGUAGE plpgsql AS $$ BEGIN
		FOR i IN 1..600 LOOP INSERT INTO over VALUES (i); IF i % 4 = 0 THEN ROLLBACK; ELSE COMMIT; END IF; END LOOP; END $$; CALL burn();
		DELETE FROM over WHERE a % 10 = 1; BEGIN; DELETE FROM over WHERE a % 10 = 2; ROLLBACK`)
	s.SQL("postgres", "CREATE DATABASE locks")
	fillRowLocks(t, s, "locks")
	s.SQL("locks", "BEGIN; INSERT INTO locked VALUES (1000, 'prepared'); DELETE FROM locked WHERE a = 40; PREPARE TRANSACTION 'p'")
	s.Stop()
	agree(t, t.TempDir(), s)
}

func freeze(s *pgtest.Server) {
	for _, db := range databases(s) {
		s.SQL(db, "VACUUM FREEZE")
	}
	s.SQL("postgres", "CHECKPOINT")
}
