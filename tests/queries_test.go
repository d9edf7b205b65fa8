package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/sqlfront"
)

// queriesPerVersion is how many queries TestQueries asks of each server; PIPESCAN_TEST_QUERIES replaces it.
const queriesPerVersion = 2500

// querySeed begins the sequence of queries; PIPESCAN_TEST_SEED replaces it.
const querySeed = 3

// queryVersions are the servers asked; with PIPESCAN_TEST_FULL set, all.
func queryVersions() []int {
	if os.Getenv("PIPESCAN_TEST_FULL") != "" {
		return pgtest.Versions()
	}
	return slices.DeleteFunc(pgtest.Versions(), func(v int) bool { return v != 15 && v != 18 })
}

// fromEnv is a number from the environment, or otherwise.
func fromEnv(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}

// An answer is what a query gives: lines of COPY text, or an SQLSTATE.
type answer struct {
	lines []string
	state string
	// message goes with state, for whoever reads a failed test.
	message string
}

func (a *answer) String() string {
	if a.state != "" {
		return a.state + " " + a.message
	}
	return fmt.Sprintf("%d rows\n%s", len(a.lines), strings.Join(a.lines[:min(len(a.lines), 12)], "\n"))
}

// TestQueries asks generated queries of a server and of the files that the server leaves: the rows have to be the same, or the
// SQLSTATE. What pipescan says is not supported is no mismatch, but there may be little of it.
func TestQueries(t *testing.T) {
	for _, major := range queryVersions() {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			t.Parallel()
			testQueries(t, major)
		})
	}
}

func testQueries(t *testing.T, major int) {
	r := rand.New(rand.NewPCG(uint64(fromEnv(t, "PIPESCAN_TEST_SEED", querySeed)), uint64(major)))
	s := pgtest.New(t, major, pgtest.Options{})
	s.Start()
	s.SQL("postgres", queryScript(r))
	source := &querySource{r: r, major: major}
	queries := make([]generatedQuery, fromEnv(t, "PIPESCAN_TEST_QUERIES", queriesPerVersion))
	for i := range queries {
		queries[i] = source.query()
	}
	want := serverAnswers(t, s, "postgres", queries)
	s.Stop()

	db, err := pipescan.Open(context.Background(), s.Dir(), pipescan.Options{CacheDir: "none"})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	tally := queryTally{reasons: map[string]int{}}
	for i, q := range queries {
		got, err := libraryAnswer(db, q, i)
		tally.judge(t, q, &want[i], got, err)
	}
	tally.check(t, len(queries))
}

// serverAnswers asks the server. Groups are hashed and read in the order of the table, as sums of floats and the spelling of keys
// depend on it, and no table is left out because its condition contradicts itself, as errors depend on that.
func serverAnswers(t *testing.T, s *pgtest.Server, database string, queries []generatedQuery) []answer {
	c := s.Conn(database)
	settings := `SET synchronize_seqscans = off; SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
		SET enable_sort = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '64MB'; SET enable_incremental_sort = off; SET constraint_exclusion = off;
		SET enable_partition_pruning = off;`
	if s.Version() >= 16 {
		settings += "SET enable_presorted_aggregate = off;"
	}
	s.RunOn(c, settings)
	answers := make([]answer, len(queries))
	for i, q := range queries {
		var out bytes.Buffer
		_, err := c.PgConn().CopyTo(context.Background(), &out, "COPY ("+q.sql+") TO STDOUT")
		var sql interface{ SQLState() string }
		switch {
		case errors.As(err, &sql):
			answers[i] = answer{state: sql.SQLState(), message: err.Error()}
		case err != nil:
			require.NoError(t, err, q.sql)
		default:
			answers[i].lines = splitLines(out.String())
		}
	}
	return answers
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// libraryAnswer asks pipescan. How the scan is run changes from query to query and must not matter.
func libraryAnswer(db *pipescan.DB, q generatedQuery, i int) (*answer, error) {
	lines, err := queryLines(db, q.sql, i)
	var sql interface{ SQLState() string }
	switch {
	case errors.As(err, &sql):
		return &answer{state: sql.SQLState(), message: err.Error()}, nil
	case errors.Is(err, pipescan.ErrNotFound):
		return &answer{state: "42P01", message: err.Error()}, nil
	}
	return &answer{lines: lines}, err
}

func queryLines(db *pipescan.DB, text string, i int) ([]string, error) {
	ctx := context.Background()
	query, err := sqlfront.Parse(text)
	if err != nil {
		return nil, err
	}
	table, request, err := query.Bind(ctx, db)
	if err != nil {
		return nil, err
	}
	request.Lanes = i % 3
	request.BatchPages = i % 4
	request.Topology = []pipescan.Topology{pipescan.Fused, pipescan.Actors, pipescan.Pulled}[i%5%3]
	scan, err := table.Scan(ctx, request)
	if err != nil {
		return nil, err
	}
	var lines []string
	for row, err := range scan.Rows() {
		if err != nil {
			return nil, err
		}
		line, err := copyLine(row)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

var copyEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\b", `\b`, "\f", `\f`, "\v", `\v`)

// copyLine is a row as COPY writes it.
func copyLine(row pipescan.Row) (string, error) {
	fields := make([]string, row.Len())
	for i := range fields {
		text, ok, err := row.Text(i)
		if err != nil {
			return "", err
		}
		fields[i] = `\N`
		if ok {
			fields[i] = copyEscapes.Replace(text)
		}
	}
	return strings.Join(fields, "\t"), nil
}

// queryTally counts the answers.
type queryTally struct {
	rows, states, unsupported, mismatches int
	reasons                               map[string]int
}

// mismatchesShown is how many mismatches a failed test prints.
const mismatchesShown = 25

// judge compares pipescan's answer with the server's.
func (y *queryTally) judge(t *testing.T, q generatedQuery, want, got *answer, err error) {
	switch {
	case errors.Is(err, pipescan.ErrUnsupported):
		y.unsupported++
		y.reasons[err.Error()]++
		return
	case err != nil:
		got = &answer{state: "no SQLSTATE", message: err.Error()}
	case want.state == "" && got.state == "":
		if q.anyOrder {
			slices.Sort(want.lines)
			slices.Sort(got.lines)
		}
		if slices.Equal(want.lines, got.lines) {
			y.rows++
			return
		}
	case want.state == got.state:
		y.states++
		return
	}
	y.mismatches++
	if y.mismatches <= mismatchesShown {
		t.Errorf("%s\n-- the server: %v\n-- pipescan: %v", q.sql, want, got)
	}
}

// check says what was asked, and refuses a run in which too little was compared.
func (y *queryTally) check(t *testing.T, n int) {
	t.Logf("%d queries: %d of equal rows, %d of equal errors, %d not supported, %d mismatches", n, y.rows, y.states, y.unsupported, y.mismatches)
	for reason, count := range y.reasons {
		t.Logf("not supported, %d times: %s", count, reason)
	}
	require.Zero(t, y.mismatches)
	require.Less(t, y.unsupported, n/20, "too much is not supported")
	require.Greater(t, y.rows, n/2, "too few queries give rows")
}
