package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/pipescan/pipescan/pgfile"
)

// First bytes of an own store's keys: see doc.go.
const (
	ownCounter = 'c'
	ownSchema  = 'n'
	ownTable   = 'r'
	ownEnd     = 'e'
	ownXacts   = 'x'
	ownVM      = 'v'
)

func ownKey(prefix byte, n uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{prefix}, n)
}

// damaged is the error of an entry that no version of the program writes.
func (o *Own) damaged(what string, key []byte) error {
	return &pgfile.CorruptError{
		File: o.path, Block: pgfile.NoBlock, Offset: -1, Reason: fmt.Sprintf("%s (key %x)", what, key),
		Remedy: "restore the store from a backup",
	}
}

// State reads everything but the visibility map. The result is the caller's.
func (o *Own) State() (*OwnState, error) {
	s := &OwnState{Schemas: map[uint32]string{}, Xacts: map[uint32][]byte{}}
	ends := map[uint32][]byte{}
	err := o.each(nil, func(key, value []byte) error {
		if len(key) == 2 && key[0] == ownCounter {
			return o.counter(s, key, value)
		}
		if len(key) < 5 {
			return o.damaged("an unknown entry", key)
		}
		n := binary.BigEndian.Uint32(key[1:])
		value = append([]byte(nil), value...)
		switch key[0] {
		case ownSchema:
			s.Schemas[n] = string(value)
		case ownTable:
			s.Tables = append(s.Tables, OwnTable{OID: n, Record: value})
		case ownEnd:
			if len(value) != 12 {
				return o.damaged("a table's end is no end", key)
			}
			ends[n] = value
		case ownXacts:
			if len(value) != XactsPerOwnPage/4 {
				return o.damaged("a page of transaction states has another size", key)
			}
			s.Xacts[n] = value
		case ownVM:
		default:
			return o.damaged("an unknown entry", key)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		e := ends[t.OID]
		if e == nil {
			return nil, o.damaged("a table has no end", ownKey(ownEnd, t.OID))
		}
		t.Blocks, t.Rows = binary.BigEndian.Uint32(e), binary.BigEndian.Uint64(e[4:])
	}
	return s, nil
}

func (o *Own) counter(s *OwnState, key, value []byte) error {
	switch {
	case key[1] == 'o' && len(value) == 4:
		s.NextOID = binary.BigEndian.Uint32(value)
	case key[1] == 'x' && len(value) == 8:
		s.NextXID = binary.BigEndian.Uint64(value)
	default:
		return o.damaged("an unknown counter", key)
	}
	return nil
}

// VM reads the pages of a table's visibility map that exist, by number.
func (o *Own) VM(table uint32) (map[uint32][]byte, error) {
	out := map[uint32][]byte{}
	err := o.each(ownKey(ownVM, table), func(key, value []byte) error {
		if len(key) != 9 || len(value) != pgfile.PageSize-pgfile.PageHeaderSize {
			return o.damaged("a page of a visibility map has another size", key)
		}
		out[binary.BigEndian.Uint32(key[5:])] = append([]byte(nil), value...)
		return nil
	})
	return out, err
}

// each calls f with the entries whose keys begin with prefix; key and value
// are valid during the call.
func (o *Own) each(prefix []byte, f func(key, value []byte) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.db == nil {
		return ErrClosed
	}
	if err := o.failure(); err != nil {
		return err
	}
	bounds := &pebble.IterOptions{}
	if prefix != nil {
		bounds.LowerBound, bounds.UpperBound = prefix, after(prefix)
	}
	it, err := o.db.NewIter(bounds)
	if err != nil {
		return fmt.Errorf("store %s: %w", o.path, err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		if err := f(it.Key(), it.Value()); err != nil {
			return errors.Join(err, it.Close())
		}
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return fmt.Errorf("store %s: %w", o.path, err)
	}
	return nil
}
