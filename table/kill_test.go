package table

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
)

// killRows is how many rows each load of the victim has: some sixty pages.
const killRows = 8000

// killEnv makes the test binary a victim, in the directory it names.
const killEnv = "PIPESCAN_TEST_LOAD_DIR"

// loadUntilKilled is the victim: it opens the store, says so, and loads for
// ever, saying how many loads have ended.
func loadUntilKilled() bool {
	dir := os.Getenv(killEnv)
	if dir == "" {
		return false
	}
	fail := func(err error) {
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
	}
	s, err := Open(dir, Options{})
	fail(err)
	rel, err := s.RelationByName(ctx, "public", "t")
	fail(err)
	fmt.Println("open")
	for i := 0; ; i++ {
		_, err := s.LoadGenerated(ctx, rel, fmt.Sprintf("a = series(1, %d), b = text(0, 40)", killRows), GenerateOptions{Frozen: i%2 == 0})
		fail(err)
		fmt.Println("loaded")
		if i%5 == 4 { // tables come and go too
			other, err := s.CreateTable(ctx, "public", "other", "a int")
			fail(err)
			_, err = s.Load(ctx, other, LoadOptions{}, strings.NewReader("1\n2\n"))
			fail(err)
			fail(s.Drop(ctx, other))
		}
	}
}

// TestKilledLoads: a process that loads is killed at a random moment, again and
// again. Afterwards all loads that it saw end are there, and at most one more,
// each of them whole.
func TestKilledLoads(t *testing.T) {
	s, rel := newTable(t, "a int NOT NULL, b text")
	require.NoError(t, s.Close())
	dir := s.Dir()
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	rng := rand.New(rand.NewPCG(1, 2))
	loads := 0
	for round := range rounds {
		seen := killLoading(t, dir, time.Duration(rng.IntN(40000))*time.Microsecond)
		s, err := Open(dir, Options{})
		require.NoError(t, err)
		n := checkWholeLoads(t, s, rel)
		require.GreaterOrEqual(t, n, loads+seen, "round %d: loads that had ended are lost", round)
		require.LessOrEqual(t, n, loads+seen+1, "round %d", round)
		loads = n
		if loads > 15 { // or the checks take ever longer
			loads = 0
			rel = renew(t, s, rel)
		}
		require.NoError(t, s.Close())
	}
}

// killLoading runs the victim and kills it some time after it has opened the
// store; it returns how many loads it had said to have ended.
func killLoading(t *testing.T, dir string, after time.Duration) (loads int) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan(), "the process did not start")
	require.Equal(t, "open", lines.Text())
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	for lines.Scan() {
		require.Equal(t, "loaded", lines.Text())
		loads++
	}
	_, _ = io.Copy(io.Discard, out)
	require.Error(t, cmd.Wait(), "the process ended by itself")
	return loads
}

// checkWholeLoads reads the table: each number comes as often as there are
// loads. It returns how many that are.
func checkWholeLoads(t *testing.T, s *Store, rel *catalog.Relation) int {
	rows := strings.Split(strings.TrimSuffix(copyOut(t, s, rel), "\n"), "\n")
	if rows[0] == "" {
		rows = nil
	}
	require.Zero(t, len(rows)%killRows, "%d rows are no whole loads", len(rows))
	for i, row := range rows {
		a, _, _ := strings.Cut(row, "\t")
		if a != strconv.Itoa(i%killRows+1) {
			require.Equal(t, strconv.Itoa(i%killRows+1), a, "row %d", i)
		}
	}
	known, err := s.Rows(rel)
	require.NoError(t, err)
	require.Equal(t, int64(len(rows)), known)
	for _, r := range s.current().sorted {
		require.Contains(t, []string{"t", "other"}, r.Name)
	}
	if other, err := s.RelationByName(ctx, "public", "other"); err == nil {
		require.Contains(t, []string{"", "1\n2\n"}, copyOut(t, s, other))
		require.NoError(t, s.Drop(ctx, other))
	}
	return len(rows) / killRows
}

// renew starts over with an empty table.
func renew(t *testing.T, s *Store, rel *catalog.Relation) *catalog.Relation {
	require.NoError(t, s.Drop(ctx, rel))
	rel, err := s.CreateTable(ctx, "public", "t", "a int NOT NULL, b text")
	require.NoError(t, err)
	return rel
}
