package store

import "encoding/binary"

// ClusterID tells one data directory from all others. A clone made by copying
// files has the same system identifier, and another inode.
type ClusterID struct {
	System   uint64 // system identifier of pg_control
	Dev, Ino uint64 // of global/pg_control
}

// Kind is what sort of fact a key names.
type Kind byte

// Kinds of facts.
const (
	Catalog       Kind = 'C'
	VisibilityMap Kind = 'V'
)

// Key names one fact about a cluster.
type Key struct {
	Cluster  ClusterID
	Kind     Kind
	Database uint32 // 0: of the whole cluster
	Object   uint32 // catalog OID, or file node
	Part     uint32 // page of a visibility map
}

// First bytes of the keys in Pebble.
const (
	factPrefix = 'f'
	seenPrefix = 's'
)

const clusterKeySize = 25

// clusterKey is the prefix that all keys of a cluster share.
func clusterKey(prefix byte, c ClusterID) []byte {
	b := make([]byte, 0, clusterKeySize+13)
	b = append(b, prefix)
	b = binary.BigEndian.AppendUint64(b, c.System)
	b = binary.BigEndian.AppendUint64(b, c.Dev)
	return binary.BigEndian.AppendUint64(b, c.Ino)
}

// bytes is the key as Pebble sees it.
func (k Key) bytes() []byte {
	b := clusterKey(factPrefix, k.Cluster)
	b = append(b, byte(k.Kind))
	b = binary.BigEndian.AppendUint32(b, k.Database)
	b = binary.BigEndian.AppendUint32(b, k.Object)
	return binary.BigEndian.AppendUint32(b, k.Part)
}

// after is the first key behind all that begin with prefix, which is not all
// 0xff.
func after(prefix []byte) []byte {
	b := append([]byte(nil), prefix...)
	for i := len(b) - 1; i >= 0; i-- {
		b[i]++
		if b[i] != 0 {
			return b[:i+1]
		}
	}
	return nil
}
