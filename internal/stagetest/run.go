package stagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pipescan/pipescan/pipeline"
)

// Topologies are the ways every stage runs.
var Topologies = []pipeline.Topology{pipeline.Fused, pipeline.Actors, pipeline.Pulled}

// errFault is what faults injected by the harness return.
var errFault = errors.New("stagetest: an injected fault")

// errCancel is the cause of cancellations by the harness.
var errCancel = errors.New("stagetest: cancelled by the test")

// Run tries the stage in all the ways the package comment lists.
func Run[In, Out pipeline.Item](t *testing.T, cfg Config[In, Out]) {
	t.Helper()
	for _, c := range cfg.cases() {
		t.Run(c.String(), func(t *testing.T) {
			for _, problem := range Problems(t, cfg, c) {
				t.Error(problem)
			}
		})
	}
}

// Problems is what Run would report of one case: empty for a stage that keeps
// the laws. T is for the subject's own use.
func Problems[In, Out pipeline.Item](t testing.TB, cfg Config[In, Out], c Case) []string {
	var problems []string
	for _, topology := range Topologies {
		h := harness[In, Out]{t: t, cfg: &cfg, c: c, topology: topology}
		h.all()
		problems = append(problems, h.problems...)
	}
	return problems
}

// harness tries one case under one topology.
type harness[In, Out pipeline.Item] struct {
	t        testing.TB
	cfg      *Config[In, Out]
	c        Case
	topology pipeline.Topology
	problems []string
}

// attempt is one run: what is done to it, and what is expected.
type attempt[Out pipeline.Item] struct {
	name     string
	source   func(n int) error           // before the source's n-th item
	sink     func(n int, item Out) error // in a stage downstream
	consumer func(n int) (leave bool)    // with the n-th output in hand
	cancel   func(cancel func())         // how the attempt gets hold of cancel
	lanes    int
	ordered  bool
	expect   expectation
}

// expectation is how an attempt must end.
type expectation struct {
	err   func(error) bool // of the run
	fired func() bool      // whether what the attempt does was done; nil: always
	whole bool             // all rows come
	loose bool             // an item may be lost to the garbage collector
	any   bool             // the rows come in any order
}

func succeeds(err error) bool { return err == nil }

func failsWith(want error) func(error) bool {
	return func(err error) bool { return errors.Is(err, want) }
}

// all tries everything at the first, second, third and a late item.
func (h *harness[In, Out]) all() {
	s := h.try(attempt[Out]{name: "whole", expect: expectation{err: succeeds, whole: true}})
	if len(h.problems) > 0 {
		return // the rest would only say it again
	}
	for _, n := range []int{0, 1, 2, max(3, len(s.Inputs)-1)} {
		for _, a := range h.attempts(n) {
			a.name = fmt.Sprintf("%s %d", a.name, n)
			h.try(a)
		}
	}
	if h.cfg.Serial {
		return
	}
	h.try(attempt[Out]{name: "two lanes", lanes: 2, expect: expectation{err: succeeds, whole: true, any: true}})
	if len(s.Inputs) > 0 {
		if _, ok := any(s.Inputs[0]).(pipeline.Sequenced); ok {
			h.try(attempt[Out]{name: "two ordered lanes", lanes: 2, ordered: true, expect: expectation{err: succeeds, whole: true}})
		}
	}
}

// try makes the subject anew, runs the attempt and checks how it ended.
func (h *harness[In, Out]) try(a attempt[Out]) Subject[In, Out] {
	say := func(format string, args ...any) {
		h.problems = append(h.problems, fmt.Sprintf("%v, %s: %s", h.topology, a.name, fmt.Sprintf(format, args...)))
	}
	left := watchGoroutines()
	s := h.cfg.New(h.t, h.c)
	want := slices.Clone(s.Want)
	cursor := NewCursor(s.Inputs, a.source)
	rows, err := h.drive(a, s, cursor)
	cursor.Close()
	if err := left(); err != nil {
		say("%v", err)
	}
	fired := a.expect.fired == nil || a.expect.fired()
	if fired && !a.expect.err(err) || !fired && err != nil {
		say("the run ended with %v", err)
	}
	if a.expect.any {
		slices.Sort(rows)
		slices.Sort(want)
	}
	whole := a.expect.whole || !fired
	if whole && !slices.Equal(rows, want) || len(rows) > len(want) || !slices.Equal(rows, want[:len(rows)]) {
		say("got the rows %q, want %q", rows, want)
	}
	if n := s.Live(); n != 0 && !a.expect.loose {
		say("%d items or buffers were not released, or more than once", n)
	}
	return s
}

// drive runs the lanes and reads the rows.
func (h *harness[In, Out]) drive(a attempt[Out], s Subject[In, Out], cursor *Cursor[In]) (rows []string, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	if a.cancel != nil {
		a.cancel(func() { cancel(errCancel) })
	}
	o := pipeline.Options{Topology: h.topology, Ordered: a.ordered}
	var lanes []*pipeline.Chain[Out]
	for range max(1, a.lanes) {
		lane := pipeline.Then(pipeline.From("source", cursor.Source()), "subject", s.Stage())
		if a.sink != nil {
			lane = pipeline.Then(lane, "sink", &Each[Out]{Do: a.sink})
		}
		lanes = append(lanes, lane)
	}
	n := 0
	for item, err := range pipeline.Run(ctx, o, lanes) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, s.Render(item)...)
		if a.consumer != nil && a.consumer(n) {
			break
		}
		n++
	}
	return rows, nil
}
