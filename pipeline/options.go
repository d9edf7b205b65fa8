package pipeline

import "errors"

// Topology says which goroutines the stages of a run live on. Every topology
// gives the same rows.
type Topology int

const (
	// Fused runs each lane, from its source to its last stage, on one
	// goroutine; a link leads from the lane to the consumer. The default:
	// page bytes do not move between cores.
	Fused Topology = iota
	// Actors runs every stage on a goroutine of its own with a bounded link
	// between neighbours: right when a stage blocks or is slow.
	Actors
	// Pulled runs everything on the caller's goroutine, lane after lane.
	Pulled
)

// String is the topology's name in explain output.
func (t Topology) String() string {
	switch t {
	case Fused:
		return "fused"
	case Actors:
		return "actors"
	case Pulled:
		return "pulled"
	}
	return "unknown topology"
}

// Sized is an optional interface of items: how many rows the item holds now.
// Counters then count rows beside items.
type Sized interface{ Rows() int }

// Closer is an optional interface of sources and stages. Close is called
// once, when every stage of the lane has made its last call, however the lane
// ended; items that already left the lane may still be in use. An error is
// the error of the run if it has no other.
type Closer interface{ Close() error }

// Explainer is an optional interface of sources and stages: one line about
// what the stage was built to do. It is called before the run starts.
type Explainer interface{ Explain() string }

// defaultLinkDepth is two items a link: one being worked on by each side and
// one ready. Deeper links only push items out of the cache.
const defaultLinkDepth = 2

// Options of a run. The zero value is ready for use.
type Options struct {
	// Topology is the placement of stages; zero is Fused.
	Topology Topology
	// LinkDepth is how many items a link holds; 0 means 2.
	LinkDepth int
	// Ordered merges the lanes' outputs by the sequence number of the source
	// item they come from. Source items must then be Sequenced.
	Ordered bool
	// Window is what the sources of an ordered run claim their sequence
	// numbers from; the merge gives the places back. It needs Ordered.
	Window *Window
	// Budget is where lanes get their workers; nil gives every lane a
	// goroutine. With a budget that is spent the run is Pulled.
	Budget *Budget
	// Stats collects counters and times when it is not nil. They cost at
	// most two clock readings an item and stage.
	Stats *Stats
	// PanicOnFault turns a memory fault, as a mapped file that was truncated
	// gives, into a panic of the stage that touched the memory.
	PanicOnFault bool
	// OnPanic may turn a stage's panic into a better error, for example a
	// fault into an I/O error with file and block. Nil, or a nil result,
	// leaves the PanicError. It may be called from several goroutines.
	OnPanic func(*PanicError) error
}

func (o Options) withDefaults() Options {
	if o.LinkDepth <= 0 {
		o.LinkDepth = defaultLinkDepth
	}
	return o
}

func (o *Options) check() error {
	if o.Window != nil && !o.Ordered {
		return errors.New("pipeline: Options.Window needs Options.Ordered: without the merge nobody gives places back")
	}
	if o.Topology < Fused || o.Topology > Pulled {
		return errors.New("pipeline: unknown topology")
	}
	return nil
}

// panicked gives OnPanic its say.
func (o *Options) panicked(p *PanicError) error {
	if o.OnPanic != nil {
		if err := o.OnPanic(p); err != nil {
			return err
		}
	}
	return p
}
