package tests

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// fillVisibility makes rows whose visibility takes more than a look at their hint bits. The server must run; transactions that are
// prepared stay so.
func fillVisibility(t *testing.T, s *pgtest.Server, db string) {
	t.Helper()
	runFixtures(t, s, db, "visibility")
	fillPrepared(s, db)
	fillRowLocks(t, s, db)
	fillSpeculative(t, s, db)
	fillAbortedByDisconnect(s, db)
}

// fillPrepared leaves prepared transactions open, with subtransactions, deletes, updates, locks and DDL in them.
func fillPrepared(s *pgtest.Server, db string) {
	s.SQL(db, `
		CREATE TABLE prep (a int PRIMARY KEY, b text);
		INSERT INTO prep SELECT i, 'committed' FROM generate_series(1, 40) i;
		CREATE TABLE prep_child (a int REFERENCES prep);
		INSERT INTO prep_child VALUES (30), (31);
		BEGIN;
			INSERT INTO prep SELECT i, 'prepared' FROM generate_series(101, 110) i;
			SAVEPOINT one;
			INSERT INTO prep SELECT i, 'prepared child' FROM generate_series(111, 120) i;
			DELETE FROM prep WHERE a = 1;
			SAVEPOINT two;
			UPDATE prep SET b = 'updated by a grandchild' WHERE a IN (2, 3);
			ROLLBACK TO two;
			UPDATE prep SET b = 'updated again' WHERE a = 2;
			RELEASE one;
			INSERT INTO prep_child VALUES (5);
			SELECT * FROM prep WHERE a = 7 FOR UPDATE;
		PREPARE TRANSACTION 'open';
		BEGIN; INSERT INTO prep VALUES (201, 'rolled back after prepare'); DELETE FROM prep WHERE a = 8; PREPARE TRANSACTION 'undone'; ROLLBACK PREPARED 'undone';
		BEGIN; INSERT INTO prep VALUES (202, 'committed after prepare'); SAVEPOINT x; DELETE FROM prep WHERE a = 9; PREPARE TRANSACTION 'done'; COMMIT PREPARED 'done';
		BEGIN; CREATE TABLE prep_made (a int); INSERT INTO prep_made VALUES (1); PREPARE TRANSACTION 'ddl';
		INSERT INTO prep_child VALUES (32)`)
	// More children than a transaction keeps in shared memory.
	script := "CREATE TABLE many_children (a int); BEGIN;\n"
	for range 100 {
		script += "SAVEPOINT s; INSERT INTO many_children VALUES (1); RELEASE s;\n"
	}
	s.SQL(db, script+"PREPARE TRANSACTION 'many'")
}

// fillRowLocks makes multixacts: lockers only, lockers with an updater that committed, aborted, or locked without changing keys.
func fillRowLocks(t *testing.T, s *pgtest.Server, db string) {
	t.Helper()
	s.SQL(db, `CREATE TABLE locked (a int PRIMARY KEY, b text); INSERT INTO locked SELECT i, 'row ' || i FROM generate_series(1, 40) i;
		CREATE TABLE refers (a int REFERENCES locked, note text)`)
	a, b, c := s.Conn(db), s.Conn(db), s.Conn(db)
	run := s.RunOn
	// Two share lockers; three, one of them stronger.
	run(a, "BEGIN; SELECT * FROM locked WHERE a IN (1, 2) FOR SHARE")
	run(b, "BEGIN; SELECT * FROM locked WHERE a IN (1, 2) FOR SHARE")
	run(c, "BEGIN; SELECT * FROM locked WHERE a = 2 FOR KEY SHARE; SELECT * FROM locked WHERE a = 3 FOR NO KEY UPDATE")
	run(a, "SELECT * FROM locked WHERE a = 3 FOR KEY SHARE; COMMIT")
	run(b, "ROLLBACK")
	run(c, "COMMIT")
	// Key-share lockers beside an updater: committed, rolled back, and committed while a locker stays on.
	for i, end := range []string{"COMMIT", "ROLLBACK", "COMMIT"} {
		row := string(rune('1' + i))
		run(a, "BEGIN; INSERT INTO refers VALUES (1"+row+", 'locks')")
		run(b, "BEGIN; UPDATE locked SET b = 'updated beside a locker' WHERE a = 1"+row)
		run(c, "BEGIN; SELECT * FROM locked WHERE a = 1"+row+" FOR KEY SHARE")
		run(b, end)
		run(a, "COMMIT")
		run(c, "ROLLBACK")
	}
	// The updater first, then lockers; then the updater's second update in a savepoint rolled back.
	run(a, "BEGIN; UPDATE locked SET b = 'first' WHERE a = 20; SAVEPOINT s; UPDATE locked SET b = 'second' WHERE a = 21")
	run(b, "BEGIN; SELECT * FROM locked WHERE a IN (20, 21) FOR KEY SHARE")
	run(a, "ROLLBACK TO s; UPDATE locked SET b = 'third' WHERE a = 22; COMMIT")
	run(b, "COMMIT")
	// One session locks, then updates and deletes what it locked, at several levels.
	run(a, "BEGIN; SELECT * FROM locked WHERE a IN (25, 26, 27) FOR UPDATE; SAVEPOINT s; DELETE FROM locked WHERE a = 25; ROLLBACK TO s; UPDATE locked SET b = 'locked, then updated' WHERE a = 26; COMMIT")
	run(a, "BEGIN; SELECT * FROM locked WHERE a = 28 FOR KEY SHARE; SAVEPOINT s; DELETE FROM locked WHERE a = 28; COMMIT")
	// A delete waits for a lock and wins; an aborted one beside a locker.
	run(b, "BEGIN; SELECT * FROM locked WHERE a = 30 FOR KEY SHARE; COMMIT")
	run(a, "BEGIN; DELETE FROM locked WHERE a = 30; COMMIT; BEGIN; DELETE FROM locked WHERE a = 31; ROLLBACK")
	run(b, "BEGIN; SELECT * FROM locked WHERE a = 31 FOR UPDATE; COMMIT")
	// Locks that a clean stop interrupts.
	run(a, "BEGIN; SELECT * FROM locked WHERE a = 35 FOR SHARE")
	run(b, "BEGIN; SELECT * FROM locked WHERE a = 35 FOR SHARE; UPDATE locked SET b = 'never' WHERE a = 36")
	run(c, "BEGIN; SELECT * FROM locked WHERE a = 36 FOR KEY SHARE")
}

// fillSpeculative makes a speculative insertion lose: two sessions insert one key with ON CONFLICT, and the advisory lock in the
// index expression holds the second between its heap row and its index entry.
func fillSpeculative(t *testing.T, s *pgtest.Server, db string) {
	t.Helper()
	s.SQL(db, `CREATE FUNCTION hold(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
			IF current_setting('tests.hold', true) = 'on' THEN PERFORM pg_advisory_xact_lock_shared(77); END IF; RETURN $1; END $$;
		CREATE TABLE spec (a int, b text); CREATE UNIQUE INDEX spec_hold ON spec (hold(a));
		INSERT INTO spec VALUES (1, 'before')`)
	gate, slow, fast := s.Conn(db), s.Conn(db), s.Conn(db)
	s.RunOn(slow, "SET tests.hold = 'on'")
	s.RunOn(fast, "SET tests.hold = 'off'")
	s.RunOn(gate, "BEGIN; SELECT pg_advisory_xact_lock(77)")
	done := make(chan error, 1)
	go func() {
		_, err := slow.PgConn().Exec(context.Background(), "INSERT INTO spec VALUES (2, 'slow') ON CONFLICT (hold(a)) DO UPDATE SET b = spec.b || ', then slow'").ReadAll()
		done <- err
	}()
	for deadline := time.Now().Add(30 * time.Second); len(s.Query(db, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")) == 0; {
		require.True(t, time.Now().Before(deadline), "the slow session never came to wait")
		time.Sleep(5 * time.Millisecond)
	}
	s.RunOn(fast, "INSERT INTO spec VALUES (2, 'fast') ON CONFLICT (hold(a)) DO UPDATE SET b = 'unexpected'")
	s.RunOn(gate, "COMMIT")
	require.NoError(t, <-done)
}

// fillAbortedByDisconnect ends sessions in mid-transaction.
func fillAbortedByDisconnect(s *pgtest.Server, db string) {
	s.SQL(db, "CREATE TABLE cut_off (a int); INSERT INTO cut_off VALUES (1), (2)")
	s.SQL(db, "BEGIN; INSERT INTO cut_off VALUES (3); DELETE FROM cut_off WHERE a = 1")
	s.SQL(db, "BEGIN; SAVEPOINT s; UPDATE cut_off SET a = 20 WHERE a = 2; RELEASE s")
}
