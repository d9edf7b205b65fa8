package pipeline

import (
	"context"
	"io"
	"sync/atomic"
)

// kind is what a message on a link is.
type kind uint8

const (
	kindItem kind = iota // an item of the ticket seq
	kindMark             // ordered runs: no more items of the ticket seq
	kindTail             // an item made by a Flush; belongs to no ticket
)

// message travels on a link by value, so a hop allocates nothing.
type message[T Item] struct {
	item T
	seq  uint64
	kind kind
}

// link is a bounded channel with one receiver. It closes when the last of its
// senders is over.
type link[T Item] struct {
	ch      chan message[T]
	senders atomic.Int32
}

func newLink[T Item](depth, senders int) *link[T] {
	l := &link[T]{ch: make(chan message[T], depth)}
	l.senders.Store(int32(senders))
	return l
}

// leave is a sender's last act.
func (l *link[T]) leave() {
	if l.senders.Add(-1) == 0 {
		close(l.ch)
	}
}

// drain releases what is left until every sender is over. The senders were
// cancelled before, else this reads the whole table.
func (l *link[T]) drain() {
	for m := range l.ch {
		if m.kind != kindMark {
			m.item.Release()
		}
	}
}

// outletCtl is the untyped face of an outlet.
type outletCtl interface {
	mark(seq uint64) error
	leave()
}

// outlet is a segment's end of a link.
type outlet[T Item] struct {
	seg  *segment
	link *link[T]
}

// bind makes o the end of s.
func (o *outlet[T]) bind(s *segment) {
	o.seg, s.out = s, o
}

// send gives up the item, whatever it returns.
func (o *outlet[T]) send(item T) error {
	s := o.seg
	err := o.put(message[T]{item: item, seq: s.seq, kind: s.kind})
	if err != nil {
		item.Release()
	}
	return err
}

// mark says that the ticket seq is complete.
func (o *outlet[T]) mark(seq uint64) error {
	return o.put(message[T]{seq: seq, kind: kindMark})
}

func (o *outlet[T]) leave() { o.link.leave() }

func (o *outlet[T]) put(m message[T]) error {
	s := o.seg
	if s.ctx.Err() != nil { // a select between two ready cases might still send
		return s.severed(context.Cause(s.ctx))
	}
	select {
	case o.link.ch <- m: // room: no need to read the clock
		return nil
	default:
	}
	if s.clock != nil {
		s.clock.waitOut()
		defer s.clock.run(s.at)
	}
	select {
	case o.link.ch <- m:
		return nil
	case <-s.ctx.Done():
		return s.severed(context.Cause(s.ctx))
	}
}

// inlet feeds a segment from a link.
type inlet[T Item] struct {
	seg  *segment
	link *link[T]
	push Emit[T]
}

// pull waits for one message. It needs no select: upstream closes the link as
// the last act of whatever ended it, cancellation included.
func (in *inlet[T]) pull() error {
	s := in.seg
	if s.clock != nil {
		s.clock.waitIn()
	}
	m, ok := <-in.link.ch
	s.enter(0)
	if s.ctx.Err() != nil {
		if ok && m.kind != kindMark {
			m.item.Release()
		}
		return s.severed(context.Cause(s.ctx))
	}
	if !ok {
		return io.EOF
	}
	s.seq, s.kind = m.seq, m.kind
	if m.kind == kindMark {
		s.kind = kindItem
		return s.out.mark(m.seq)
	}
	return in.push(m.item)
}
