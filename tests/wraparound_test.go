package tests

import (
	"fmt"
	"testing"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// TestWraparound takes transaction and multixact ids over the end of their 32 bits. Only 15 has pg_resetwal here.
func TestWraparound(t *testing.T) {
	// Old ids start a vacuum by themselves, autovacuum off or not; on the judge's copy it would change what is compared.
	s := pgtest.New(t, 15, pgtest.Options{Conf: map[string]string{"autovacuum_freeze_max_age": "2000000000", "autovacuum_multixact_freeze_max_age": "2000000000"}})
	s.Start()
	s.AllowTemplate0()
	s.SQL("postgres", "CREATE TABLE early (a int); INSERT INTO early SELECT generate_series(1, 100); DELETE FROM early WHERE a < 10")
	freeze(s)
	s.Stop()
	// A jump may not come near half of the id space, or the server stops to protect old rows. Where it lands pg_xact needs a file, of
	// 2^20 ids each.
	for i, jump := range []struct{ segment, xid string }{{"0600", "1610612741"}, {"0C00", "3221225477"}} {
		s.WriteFile("pg_xact/"+jump.segment, make([]byte, 256<<10))
		s.Program("pg_resetwal", "-D", s.Dir(), "-x", jump.xid)
		s.Start()
		s.SQL("postgres", fmt.Sprintf("CREATE TABLE middle%[1]d (a int); INSERT INTO middle%[1]d VALUES (1), (2); BEGIN; DELETE FROM middle%[1]d; ROLLBACK", i))
		freeze(s)
		s.Stop()
	}
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
