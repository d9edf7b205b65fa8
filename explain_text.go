package pipescan

import (
	"fmt"
	"strings"
)

// ExplainOptions say what the text of a plan shows.
type ExplainOptions struct {
	// IO shows how blocks were read.
	IO bool
	// NoTimes leaves times out, so that the text is the same each time.
	NoTimes bool
}

// Explain describes the plan as PostgreSQL's EXPLAIN does, the last step
// first.
func (p *Plan) Explain() string { return p.Tree().Text(ExplainOptions{}) }

// Text is the plan under n, an indented line or more a step.
func (n *ExplainNode) Text(o ExplainOptions) string {
	var w explainWriter
	w.o = o
	w.node(n, "", "")
	return w.String()
}

// explainWriter writes nodes.
type explainWriter struct {
	strings.Builder
	o ExplainOptions
}

// node writes a node: first stands before its name, rest before its other
// lines.
func (w *explainWriter) node(n *ExplainNode, first, rest string) {
	w.WriteString(first + n.Node)
	if n.Relation != "" {
		w.WriteString(" on " + n.Relation)
	}
	if a := n.Actual; a != nil {
		fmt.Fprintf(w, "  (actual rows=%d", a.Rows)
		if !w.o.NoTimes && n.Node != "Limit" {
			fmt.Fprintf(w, " time=%.3f ms", a.TimeMS)
		}
		w.WriteString(")")
	}
	w.WriteString("\n")
	w.details(n, rest+"  ")
	for _, child := range n.Plans {
		w.node(child, rest+"  ->  ", rest+"      ")
	}
}

// details writes a node's attributes.
func (w *explainWriter) details(n *ExplainNode, indent string) {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s%s: %s\n", indent, name, value)
		}
	}
	if n.Node == "Limit" {
		limit := "all"
		if n.Limit != nil {
			limit = fmt.Sprint(*n.Limit)
		}
		line("Rows", limit)
		if n.Offset > 0 {
			line("Offset", fmt.Sprint(n.Offset))
		}
	}
	line("Stages", strings.Join(n.Stages, ", "))
	line("Sort Key", strings.Join(n.SortKey, ", "))
	line("Sort Method", n.SortMethod)
	line("Group Key", strings.Join(n.GroupKey, ", "))
	line("Aggregates", strings.Join(n.Aggregates, ", "))
	if n.Ordered {
		line("Order", "as scanned")
	}
	line("Output", strings.Join(n.Output, ", "))
	line("One-Time Filter", n.OneTimeFilter)
	line("Filter", n.Filter)
	if n.Actual != nil && n.Actual.RowsRemovedByFilter != nil {
		line("Rows Removed by Filter", fmt.Sprint(*n.Actual.RowsRemovedByFilter))
	}
	if n.Node == "Seq Scan" {
		w.scan(n, indent)
	}
}

// scan writes what only scans have.
func (w *explainWriter) scan(n *ExplainNode, indent string) {
	fmt.Fprintf(w, "%sColumns: %s\n", indent, orNone(n.Columns))
	if len(n.Members) > 0 {
		fmt.Fprintf(w, "%sTables: %s\n", indent, strings.Join(n.Members, ", "))
	}
	if n.Rows != "visible" {
		fmt.Fprintf(w, "%sRows: %s\n", indent, n.Rows)
	}
	if n.Order != "forward" {
		fmt.Fprintf(w, "%sOrder: %s\n", indent, n.Order)
	}
	fmt.Fprintf(w, "%sLanes: %d, %s\n", indent, n.Lanes, n.Topology)
	if n.Actual == nil {
		return
	}
	for _, st := range n.Actual.Stages {
		w.stage(&st, indent)
	}
	if io := n.IO; io != nil && w.o.IO {
		fmt.Fprintf(w, "%sI/O: %d pages, %d tuples, %d reads of %d bytes\n", indent, io.Pages, io.Tuples, io.Reads, io.Bytes)
	}
}

// stage writes what a stage of the lanes did.
func (w *explainWriter) stage(st *ExplainStage, indent string) {
	fmt.Fprintf(w, "%s- %-16s", indent, st.Name)
	if st.BatchesIn > 0 {
		fmt.Fprintf(w, " in %s;", amount(st.RowsIn, st.BatchesIn))
	}
	w.WriteString(" out " + amount(st.RowsOut, st.BatchesOut))
	if !w.o.NoTimes {
		fmt.Fprintf(w, "; %.3f ms", st.TimeMS)
		if wait := st.InWaitMS + st.OutWaitMS; wait >= 0.001 {
			fmt.Fprintf(w, ", waited %.3f ms", wait)
		}
	}
	w.WriteString("\n")
}

// amount is rows and batches; batches of pages have no rows yet.
func amount(rows, batches int64) string {
	text := plural(batches, "batch", "batches")
	if rows > 0 || batches == 0 {
		text = plural(rows, "row", "rows") + " in " + text
	}
	return text
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
