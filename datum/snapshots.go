package datum

import (
	"encoding/binary"
	"strconv"

	"github.com/pipescan/pipescan/pgfile"
)

// pg_snapshot and txid_snapshot share a layout: a 32-bit count, xmin, xmax and
// the ids in progress, 64 bits each. Printed as xmin:xmax:id,id,...

const snapshotHeader = 4 + 8 + 8

// snapshotIDs checks the count and returns the bytes of the ids in progress.
func snapshotIDs(v []byte) ([]byte, error) {
	if len(v) < snapshotHeader {
		return nil, pgfile.Corruptf(-1, "a pg_snapshot has %d bytes, too few for its header", len(v))
	}
	n, ids := binary.LittleEndian.Uint32(v), v[snapshotHeader:]
	if uint64(len(ids)) != 8*uint64(n) {
		return nil, pgfile.Corruptf(-1, "a pg_snapshot of %d ids has %d bytes of them", n, len(ids))
	}
	return ids, nil
}

func textSnapshot(dst, v []byte, _ *Env) ([]byte, error) {
	ids, err := snapshotIDs(v)
	if err != nil {
		return dst, err
	}
	le := binary.LittleEndian
	dst = strconv.AppendUint(dst, le.Uint64(v[4:]), 10)
	dst = strconv.AppendUint(append(dst, ':'), le.Uint64(v[12:]), 10)
	dst = append(dst, ':')
	for i := 0; i < len(ids); i += 8 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, le.Uint64(ids[i:]), 10)
	}
	return dst, nil
}

func valueSnapshot(v []byte, _ *Env) (any, error) {
	ids, err := snapshotIDs(v)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	s := PGSnapshot{Xmin: le.Uint64(v[4:]), Xmax: le.Uint64(v[12:])}
	for i := 0; i < len(ids); i += 8 {
		s.InProgress = append(s.InProgress, le.Uint64(ids[i:]))
	}
	return s, nil
}
