package stagetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pipescan/pipescan/pipeline"
)

// Config describes the stage under test.
type Config[In, Out pipeline.Item] struct {
	// New makes the subject of one run. It is called anew for each run with
	// the same case and must give the same inputs.
	New func(t testing.TB, c Case) Subject[In, Out]
	// Max is the greatest batch size; 0 means 64.
	Max int
	// Serial says that the stage keeps state from item to item, as a limit
	// does: it is not tried on two lanes.
	Serial bool
	// NoNulls and NoSelection leave those cases out for stages whose inputs
	// have neither.
	NoNulls, NoSelection bool
}

// Case is one way to cut the inputs.
type Case struct {
	Size      int    // rows, or pages, a batch
	Nulls     bool   // sprinkle NULLs
	Selection bool   // give batches a random selection
	Seed      uint64 // of Rand
}

// Rand is the case's random source; the same at each call.
func (c Case) Rand() *rand.Rand { return rand.New(rand.NewPCG(c.Seed, uint64(c.Size))) }

// String names the case in the test's output.
func (c Case) String() string {
	return fmt.Sprintf("size=%d,nulls=%t,selection=%t", c.Size, c.Nulls, c.Selection)
}

// Subject is a stage with its inputs and what is expected of them.
type Subject[In, Out pipeline.Item] struct {
	// Stage makes the stage of one lane.
	Stage func() pipeline.Stage[In, Out]
	// Inputs are what the source gives out; the harness owns them. When they
	// are Sequenced, with dense numbers from 0, the stage also runs ordered.
	Inputs []In
	// Render reads an output as rows.
	Render func(Out) []string
	// Want is the rows of a run to the end.
	Want []string
	// Live is how many items, or buffers, are not released.
	Live func() int
}

// cases are all the cases of a configuration.
func (c *Config[In, Out]) cases() []Case {
	most := c.Max
	if most == 0 {
		most = 64
	}
	var all []Case
	for _, size := range []int{1, 2, 3, most} {
		for _, nulls := range []bool{false, true} {
			for _, selection := range []bool{false, true} {
				if nulls && c.NoNulls || selection && c.NoSelection {
					continue
				}
				all = append(all, Case{size, nulls, selection, uint64(len(all) + 1)})
			}
		}
	}
	return all
}
