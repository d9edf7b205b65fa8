package pipeline

import (
	"sync"
	"sync/atomic"
	"time"
)

// Stats collects the counters of one run. The zero value is ready; it may be
// read while the run goes on.
type Stats struct {
	mu    sync.Mutex
	lanes []laneStats
}

type laneStats struct {
	info     []StepInfo
	counters []*counter
}

// StageStats are the counters of one stage.
type StageStats struct {
	StepInfo
	Lanes             int           // how many lanes the numbers are the sum of
	ItemsIn, ItemsOut int64         // a source has no items in
	RowsIn, RowsOut   int64         // of items that are Sized
	Self              time.Duration // inside the stage; a source's includes its waits for the device
	InWait            time.Duration // waiting for the link that feeds it
	OutWait           time.Duration // waiting for room in the link it feeds
}

// Stages returns the counters so far, source first, summed over the lanes.
func (s *Stats) Stages() []StageStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sum []StageStats
	for _, lane := range s.lanes {
		for i, c := range lane.counters {
			if i == len(sum) {
				sum = append(sum, StageStats{StepInfo: lane.info[i]})
			}
			c.addTo(&sum[i])
		}
	}
	return sum
}

// Lanes returns the counters so far of each lane.
func (s *Stats) Lanes() [][]StageStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([][]StageStats, len(s.lanes))
	for i, lane := range s.lanes {
		all[i] = make([]StageStats, len(lane.counters))
		for j, c := range lane.counters {
			all[i][j].StepInfo = lane.info[j]
			c.addTo(&all[i][j])
		}
	}
	return all
}

// watch gives a wired lane its counters and clocks; a nil Stats none.
func (s *Stats) watch(w *wiring, steps []step) {
	if s == nil {
		return
	}
	lane := laneStats{info: infoOf(steps)}
	for range steps {
		lane.counters = append(lane.counters, &counter{})
	}
	w.counters = lane.counters
	next := 0
	for _, seg := range w.segs {
		next = seg.watch(lane.counters, next)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanes = append(s.lanes, lane)
}

// watch gives the segment the counters from next on and returns the first
// that is left. The feed of a link counts as part of the stage it feeds.
func (s *segment) watch(counters []*counter, next int) int {
	c := &clock{}
	if s.source {
		c.self = append(c.self, &counters[next].self)
		next++
	} else {
		c.self = append(c.self, &counters[next].self)
		c.in = &counters[next].inWait
	}
	for _, n := range s.nodes {
		n.count(counters[next])
		c.self = append(c.self, &counters[next].self)
		next++
	}
	c.out = &counters[next-1].outWait
	s.clock = c
	return next
}

// counter holds one stage's numbers in one lane. Only the lane writes them.
type counter struct {
	itemsIn, itemsOut     atomic.Int64
	rowsIn, rowsOut       atomic.Int64
	self, inWait, outWait atomic.Int64
}

func (c *counter) got(item any) {
	c.itemsIn.Add(1)
	if s, ok := item.(Sized); ok {
		c.rowsIn.Add(int64(s.Rows()))
	}
}

func (c *counter) sent(item any) {
	c.itemsOut.Add(1)
	if s, ok := item.(Sized); ok {
		c.rowsOut.Add(int64(s.Rows()))
	}
}

func (c *counter) addTo(s *StageStats) {
	s.Lanes++
	s.ItemsIn += c.itemsIn.Load()
	s.ItemsOut += c.itemsOut.Load()
	s.RowsIn += c.rowsIn.Load()
	s.RowsOut += c.rowsOut.Load()
	s.Self += time.Duration(c.self.Load())
	s.InWait += time.Duration(c.inWait.Load())
	s.OutWait += time.Duration(c.outWait.Load())
}

// clock charges the time of a segment's goroutine to whoever runs: it is read
// when that changes, so time inside one stage never counts twice.
type clock struct {
	self    []*atomic.Int64 // by position
	in, out *atomic.Int64
	now     *atomic.Int64 // who is charged; nil while paused
	since   time.Duration
}

// epoch makes readings of the monotonic clock cheap.
var epoch = time.Now()

func (c *clock) charge(to *atomic.Int64) {
	if to == c.now { // reading the clock is what counting costs
		return
	}
	now := time.Since(epoch)
	if c.now != nil {
		c.now.Add(int64(now - c.since))
	}
	c.now, c.since = to, now
}

func (c *clock) run(position int) { c.charge(c.self[position]) }
func (c *clock) waitIn()          { c.charge(c.in) }
func (c *clock) waitOut()         { c.charge(c.out) }
func (c *clock) pause()           { c.charge(nil) }
