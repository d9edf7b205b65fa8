package pipescan

import (
	"strings"
	"time"

	"github.com/pipescan/pipescan/pipeline"
)

// ExplainNode is one step of a plan, with the step that feeds it under Plans.
// As JSON it is the plan of `explain --json`; later versions only add keys.
type ExplainNode struct {
	Node     string `json:"node"` // Limit, Stages, Sort, Project, Aggregate, HashAggregate, Seq Scan, Result
	Relation string `json:"relation,omitempty"`
	// Members are the partitions or children that are read.
	Members []string `json:"members,omitempty"`
	Columns []string `json:"columns,omitempty"` // that are decoded
	Output  []string `json:"output,omitempty"`  // that are computed
	Rows    string   `json:"rows,omitempty"`    // visible, dead or all
	Order   string   `json:"order,omitempty"`   // forward, backward or any
	// Filter keeps rows or, of an aggregate, groups. OneTimeFilter is a
	// constant that keeps none, so that nothing under it is run.
	Filter        string   `json:"filter,omitempty"`
	OneTimeFilter string   `json:"one_time_filter,omitempty"`
	GroupKey      []string `json:"group_key,omitempty"`
	Aggregates    []string `json:"aggregates,omitempty"`
	// Ordered says that the rows are added in the scan's order, because a
	// result depends on it.
	Ordered    bool     `json:"ordered,omitempty"`
	SortKey    []string `json:"sort_key,omitempty"`
	SortMethod string   `json:"sort_method,omitempty"` // memory or top-n
	Limit      *int64   `json:"limit,omitempty"`
	Offset     int64    `json:"offset,omitempty"`
	Stages     []string `json:"stages,omitempty"`   // the caller's
	Lanes      int      `json:"lanes,omitempty"`    // asked for
	Topology   string   `json:"topology,omitempty"` // fused, actors or pulled

	Actual *ExplainActual `json:"actual,omitempty"` // of a run
	IO     *ExplainIO     `json:"io,omitempty"`
	Plans  []*ExplainNode `json:"plans,omitempty"`
}

// ExplainActual is what a step did in a run.
type ExplainActual struct {
	Rows   int64   `json:"rows"`    // that it gave
	TimeMS float64 `json:"time_ms"` // of its own, summed over the lanes
	// RowsRemovedByFilter counts visible rows, or groups. A scan that a LIMIT
	// ended counts those of the batches it read.
	RowsRemovedByFilter *int64         `json:"rows_removed_by_filter,omitempty"`
	Stages              []ExplainStage `json:"stages,omitempty"` // of a scan's lanes, source first
}

// ExplainStage is what one stage of the lanes did, summed over the lanes.
type ExplainStage struct {
	Name       string  `json:"name"`
	Lanes      int     `json:"lanes"`
	BatchesIn  int64   `json:"batches_in"`
	BatchesOut int64   `json:"batches_out"`
	RowsIn     int64   `json:"rows_in"`
	RowsOut    int64   `json:"rows_out"`
	TimeMS     float64 `json:"time_ms"`
	InWaitMS   float64 `json:"in_wait_ms"`
	OutWaitMS  float64 `json:"out_wait_ms"`
}

// ExplainIO is how a scan's blocks were read.
type ExplainIO struct {
	Pages  int64 `json:"pages"`  // looked at
	Reads  int64 `json:"reads"`  // calls; 0 where the file was mapped
	Bytes  int64 `json:"bytes"`  // that those brought
	Tuples int64 `json:"tuples"` // seen, visible or not
}

// Walk calls f for n and every node under it.
func (n *ExplainNode) Walk(f func(*ExplainNode)) {
	f(n)
	for _, p := range n.Plans {
		p.Walk(f)
	}
}

// milliseconds is a time for people and JSON.
func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// Tree describes the plan, its last step first.
func (p *Plan) Tree() *ExplainNode {
	q, r := p.query, &p.request
	node := p.scanNode()
	named := func(list []string) []string { return list }
	if q != nil && q.group != nil {
		node = q.group.explain(node)
		named = q.group.named
		if q.outputs.computed {
			node = &ExplainNode{Node: "Project", Output: named(q.outputs.texts()), Plans: under(node)}
		}
	}
	if q != nil && len(q.outputs.sort) > 0 {
		node = &ExplainNode{Node: "Sort", SortKey: named(q.outputs.sortKeys()), SortMethod: "memory", Plans: under(node)}
		if r.Limit != nil {
			node.SortMethod = "top-n"
		}
	}
	if len(r.Stages) > 0 {
		node = &ExplainNode{Node: "Stages", Plans: under(node)}
		for _, s := range r.Stages {
			node.Stages = append(node.Stages, s.Name)
		}
	}
	if r.Limit != nil || r.Offset > 0 {
		node = &ExplainNode{Node: "Limit", Limit: r.Limit, Offset: r.Offset, Plans: under(node)}
	}
	return node
}

// under is a list of one node, or of none.
func under(n *ExplainNode) []*ExplainNode {
	if n == nil {
		return nil
	}
	return []*ExplainNode{n}
}

// scanNode describes the scan of the table, with what its lanes compute.
func (p *Plan) scanNode() *ExplainNode {
	q, r := p.query, &p.request
	if q != nil && q.never {
		return &ExplainNode{Node: "Result", OneTimeFilter: "false"}
	}
	n := &ExplainNode{
		Node: "Seq Scan", Relation: p.table.Name(), Columns: p.base.Names(), Lanes: p.lanes(), Topology: r.Topology.String(),
		Order: [...]string{"forward", "backward", "any"}[r.Order],
		Rows:  [...]string{"visible", "dead", "all"}[r.Rows],
	}
	if p.small() {
		n.Topology = Pulled.String()
	}
	if len(p.members) > 1 || p.table.rel.Kind == 'p' {
		for _, m := range p.members {
			n.Members = append(n.Members, m.Name)
		}
	}
	if q == nil {
		return n
	}
	if q.where != nil {
		n.Filter = q.where.String()
	}
	if q.group == nil && q.outputs.computed {
		n.Output = q.outputs.texts()
	}
	return n
}

// texts is the outputs as SQL.
func (o *outputPlan) texts() (list []string) {
	for _, x := range o.exprs[:o.visible] {
		list = append(list, x.String())
	}
	return list
}

// sortKeys is the sort keys as SQL.
func (o *outputPlan) sortKeys() (list []string) {
	for _, k := range o.orderBy {
		text := k.Expr.String()
		if k.Desc {
			text += " DESC"
		}
		switch {
		case k.NullsFirst && !k.Desc:
			text += " NULLS FIRST"
		case !k.NullsFirst && k.Desc:
			text += " NULLS LAST"
		}
		list = append(list, text)
	}
	return list
}

// explain describes the grouping of what node gives.
func (g *groupPlan) explain(node *ExplainNode) *ExplainNode {
	n := &ExplainNode{Node: "Aggregate", Ordered: g.ordered(), Plans: under(node)}
	for _, k := range g.keys {
		n.Node = "HashAggregate"
		n.GroupKey = append(n.GroupKey, k.String())
	}
	for i := range g.aggs {
		n.Aggregates = append(n.Aggregates, g.aggs[i].String())
	}
	if g.having != nil {
		n.Filter = g.named([]string{g.having.String()})[0]
	}
	if g.never {
		n.OneTimeFilter, n.Plans = "false", nil
	}
	return n
}

// named puts keys and aggregates in the place of names that were made up for
// them, which begin with #.
func (g *groupPlan) named(list []string) []string {
	var pairs []string
	add := func(name, text string) {
		if strings.HasPrefix(name, "#") {
			pairs = append(pairs, `"`+name+`"`, text)
		}
	}
	for i, k := range g.keys {
		add(g.fields[i].Name, k.String())
	}
	for i := range g.aggs {
		add(g.aggs[i].request.Name, g.aggs[i].String())
	}
	r := strings.NewReplacer(pairs...)
	for i, text := range list {
		list[i] = r.Replace(text)
	}
	return list
}

// String is the aggregate as SQL.
func (a *groupAggregate) String() string {
	arg := "*"
	if a.arg != nil {
		arg = a.arg.String()
	}
	if a.request.Distinct {
		arg = "DISTINCT " + arg
	}
	text := a.request.Func + "(" + arg + ")"
	if a.filter != nil {
		text += " FILTER (WHERE " + a.filter.String() + ")"
	}
	return text
}

// Tree describes the plan with what this run of it did; call it when the
// iteration has ended.
func (s *Scan) Tree() *ExplainNode {
	root := s.plan.Tree()
	stats := s.Stats()
	for n := root; n != nil; {
		s.fill(n, &stats)
		if len(n.Plans) == 0 {
			break
		}
		n = n.Plans[0]
	}
	return root
}

// fill puts a run's figures into a node.
func (s *Scan) fill(n *ExplainNode, stats *Stats) {
	n.Actual = &ExplainActual{}
	a := n.Actual
	op := func(name string) {
		for _, o := range stats.Operators {
			if o.Name == name {
				a.Rows, a.TimeMS = o.RowsOut, milliseconds(o.Self)
			}
		}
	}
	switch n.Node {
	case "Limit":
		a.Rows = stats.Rows
	case "Stages":
		a.Rows = stats.Rows
		for _, st := range stats.Stages {
			for _, name := range n.Stages {
				if st.Name == name {
					a.Rows, a.TimeMS = st.RowsOut, a.TimeMS+milliseconds(st.Self)
				}
			}
		}
	case "Sort":
		op(opSort)
	case "Project":
		op(opProject)
	case "Aggregate", "HashAggregate":
		op(opAggregate)
		for _, st := range stats.Stages {
			if st.Name == foldStage {
				a.TimeMS += milliseconds(st.Self)
			}
		}
		if n.Filter != "" {
			a.Rows -= stats.RemovedGroups
			removed := stats.RemovedGroups
			a.RowsRemovedByFilter = &removed
		}
	case "Seq Scan":
		s.fillScan(n, stats)
	}
}

// foldStage is what pipeline.Fold calls the stage that adds batches.
const foldStage = "fold"

// fillScan puts the figures of the lanes into the scan's node.
func (s *Scan) fillScan(n *ExplainNode, stats *Stats) {
	a := n.Actual
	own := map[string]bool{foldStage: true}
	for _, spec := range s.plan.request.Stages {
		own[spec.Name] = true
	}
	for _, st := range stats.Stages {
		if own[st.Name] {
			continue
		}
		a.Rows = st.RowsOut
		a.TimeMS += milliseconds(st.Self)
		a.Stages = append(a.Stages, explainStage(st))
	}
	if n.Filter != "" {
		removed := stats.RemovedByFilter
		a.RowsRemovedByFilter = &removed
	}
	n.IO = &ExplainIO{Pages: stats.Pages, Reads: stats.Reads, Bytes: stats.Bytes, Tuples: stats.Tuples}
}

func explainStage(st pipeline.StageStats) ExplainStage {
	return ExplainStage{
		Name: st.Name, Lanes: st.Lanes, BatchesIn: st.ItemsIn, BatchesOut: st.ItemsOut, RowsIn: st.RowsIn, RowsOut: st.RowsOut,
		TimeMS: milliseconds(st.Self), InWaitMS: milliseconds(st.InWait), OutWaitMS: milliseconds(st.OutWait),
	}
}
