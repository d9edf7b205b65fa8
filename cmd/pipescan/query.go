package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pipescan/pipescan"
)

// caretError is an error about a place in SQL text, shown below it.
type caretError struct {
	err   error
	caret string
}

func (e *caretError) Error() string { return e.err.Error() + "\n" + e.caret }
func (e *caretError) Unwrap() error { return e.err }

func queryCmd(a *app) *cobra.Command {
	var f rowFlags
	cmd := &cobra.Command{
		Use:   "query SQL|-",
		Short: "Answer a SELECT over one table",
		Long: "Answer a SELECT over one table: expressions, WHERE, GROUP BY with count, sum, avg,\n" +
			"min and max, HAVING, ORDER BY, LIMIT and OFFSET. With - the query is read from\n" +
			"standard input.",
		Args: argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.query(cmd.Context(), args[0], &f) },
	}
	f.add(cmd)
	return cmd
}

// query runs the verb.
func (a *app) query(ctx context.Context, text string, f *rowFlags) error {
	st, err := a.statement(text)
	if err != nil {
		return err
	}
	if how, ok := st.explains(); ok {
		return a.explain(ctx, st, how)
	}
	format, err := f.parse(a)
	if err != nil {
		return err
	}
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	table, request, err := st.bind(ctx, db)
	if err != nil {
		return withCaret(st.text, err)
	}
	request.Lanes = a.lanes()
	return withCaret(st.text, a.write(ctx, db, table, request, format, f))
}

// statement reads SQL text, from standard input when it is -.
func (a *app) statement(text string) (*statement, error) {
	if text == "-" {
		b, err := io.ReadAll(a.stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		text = string(b)
	}
	return parseSQL(text)
}

// lanes is how many lanes to ask for.
func (a *app) lanes() int {
	if a.workers > 0 {
		return a.workers
	}
	return runtime.GOMAXPROCS(0)
}

// explainFlags say what explain shows.
type explainFlags struct{ analyze, io, json bool }

func explainCmd(a *app) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain SQL|-",
		Short: "Show how a query is answered",
		Long:  "Show how a query is answered; with --analyze run it, without showing its rows, and\nshow what each step did. With --json one object: version, open_ms, planning_ms,\nexecution_ms, rows, plan.",
		Args:  argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := a.statement(args[0])
			if err != nil {
				return err
			}
			if how, ok := st.explains(); ok {
				f.analyze, f.io, f.json = f.analyze || how.analyze, f.io || how.io, f.json || how.json
			}
			return a.explain(cmd.Context(), st, f)
		},
	}
	cmd.Flags().BoolVar(&f.analyze, "analyze", false, "run the query and show what each step did")
	cmd.Flags().BoolVar(&f.io, "io", false, "with --analyze: show how blocks were read")
	return cmd
}

// explainVersion is raised when a key of explained changes its meaning.
const explainVersion = 1

// explained is what explain --json prints; later versions only add keys.
type explained struct {
	Version     int                   `json:"version"`
	OpenMS      float64               `json:"open_ms"`      // attaching the directory
	PlanningMS  float64               `json:"planning_ms"`  // finding the table and planning
	ExecutionMS *float64              `json:"execution_ms"` // from the first pull to the last row; null unless analyzed
	Rows        *int64                `json:"rows"`         // returned; null unless analyzed
	Plan        *pipescan.ExplainNode `json:"plan"`
}

// explain shows the plan of a query.
func (a *app) explain(ctx context.Context, st *statement, f explainFlags) error {
	start := time.Now()
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	e := explained{Version: explainVersion, OpenMS: since(start)}
	start = time.Now()
	table, request, err := st.bind(ctx, db)
	if err != nil {
		return withCaret(st.text, err)
	}
	request.Lanes = a.lanes()
	plan, err := table.Plan(ctx, request)
	if err != nil {
		return withCaret(st.text, err)
	}
	e.PlanningMS, e.Plan = since(start), plan.Tree()
	var losses []pipescan.Loss
	if f.analyze {
		if losses, err = e.analyze(ctx, plan); err != nil {
			return withCaret(st.text, err)
		}
	}
	if err := a.showExplained(&e, f); err != nil {
		return err
	}
	return a.reportLosses(append(db.CatalogLosses(), losses...))
}

// analyze runs the plan and lets its rows go.
func (e *explained) analyze(ctx context.Context, plan *pipescan.Plan) ([]pipescan.Loss, error) {
	scan := plan.Run(ctx)
	for _, err := range scan.Batches() {
		if err != nil {
			return nil, err
		}
	}
	st := scan.Stats()
	ms := milliseconds(st.Elapsed)
	e.ExecutionMS, e.Rows, e.Plan = &ms, &st.Rows, scan.Tree()
	return scan.Losses(), nil
}

// showExplained prints it.
func (a *app) showExplained(e *explained, f explainFlags) error {
	if a.json || f.json {
		if !f.io {
			e.Plan.Walk(func(n *pipescan.ExplainNode) { n.IO = nil })
		}
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(e)
	}
	var b strings.Builder
	b.WriteString(e.Plan.Text(pipescan.ExplainOptions{IO: f.io}))
	fmt.Fprintf(&b, "Open Time: %.3f ms\nPlanning Time: %.3f ms\n", e.OpenMS, e.PlanningMS)
	if e.ExecutionMS != nil {
		fmt.Fprintf(&b, "Execution Time: %.3f ms\nRows: %d\n", *e.ExecutionMS, *e.Rows)
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

func since(start time.Time) float64 { return milliseconds(time.Since(start)) }

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
