package pipeline

// merge yields the outputs of an ordered run ticket by ticket. It runs on the
// caller's goroutine: a lane says to the window that it has begun a ticket,
// the merge asks the window who has the next one and takes from that lane's
// link until the ticket's mark. A ticket without outputs is just its mark.
//
//	lane 0 ─ 0 a b mark0 │ 3 mark3 ──────┐
//	lane 1 ─ 1 c mark1   │ 2 d e mark2 ──┴→ a b c d e
func (c *collector[T]) merge(yield func(T, error) bool) (left bool, err error) {
	for seq := uint64(0); ; seq++ {
		lane, over, err := c.window.await(c.ctx, seq)
		if err != nil {
			return false, err
		}
		if over {
			break
		}
		if lane != skipped && !c.ticket(lane, yield) {
			return c.ctx.Err() == nil, nil
		}
		c.window.pass()
		if c.window.isLast(seq) {
			break
		}
	}
	return c.tails(yield)
}

// ticket yields what a lane made of its current ticket, up to the mark. It
// returns false when the consumer left or the run failed.
func (c *collector[T]) ticket(lane int, yield func(T, error) bool) bool {
	for m := range c.links[lane].ch {
		if m.kind == kindMark {
			return true
		}
		if !c.give(m.item, yield) {
			return false
		}
	}
	return c.ctx.Err() == nil // closed before its mark: the lane failed
}

// tails yields what the lanes flush after the last ticket, in lane order.
// Tickets after the one where a stage had enough are dropped.
func (c *collector[T]) tails(yield func(T, error) bool) (left bool, err error) {
	c.halt()
	for _, l := range c.links {
		for m := range l.ch {
			switch m.kind {
			case kindMark:
			case kindItem:
				m.item.Release()
			case kindTail:
				if !c.give(m.item, yield) {
					return c.ctx.Err() == nil, nil
				}
			}
		}
	}
	return false, nil
}

// give lends the consumer one item. It returns false when the consumer left
// or the run was cancelled before.
func (c *collector[T]) give(item T, yield func(T, error) bool) bool {
	c.held, c.holds = item, true
	if c.ctx.Err() != nil || !yield(item, nil) {
		return false
	}
	c.release()
	return true
}
