package pgtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Options say how a cluster is made. The zero value is a UTF8 cluster in the C locale without checksums.
type Options struct {
	// Checksums asks for data page checksums. Without it there are none, in 18 either, whose own default is to have them.
	Checksums bool
	// Locale is initdb's --locale; empty means C.
	Locale string
	// Encoding is initdb's --encoding; empty means UTF8.
	Encoding string
	// InitdbArgs are further arguments of initdb.
	InitdbArgs []string
	// Conf are settings of postgresql.conf, added to or in place of those that DefaultConf returns. Values are written as they
	// are, so a string needs its quotes.
	Conf map[string]string
	// Fresh runs initdb for this cluster alone. Otherwise clusters with the same initdb options are copies of one, and agree in
	// their system identifier.
	Fresh bool
}

// DefaultConf returns the settings every cluster starts with: nothing is synced, nothing happens in the background unless a test asks for
// it, and sessions print values in the form that COPY text is compared in. The caller may change the map.
func DefaultConf() map[string]string {
	return map[string]string{
		"autovacuum":                "off",
		"bgwriter_lru_maxpages":     "0",
		"bytea_output":              "hex",
		"checkpoint_timeout":        "1h",
		"client_min_messages":       "warning",
		"datestyle":                 "'ISO, MDY'",
		"extra_float_digits":        "1",
		"fsync":                     "off",
		"intervalstyle":             "postgres",
		"jit":                       "off",
		"listen_addresses":          "''",
		"log_checkpoints":           "off",
		"log_timezone":              "UTC",
		"max_connections":           "30",
		"max_prepared_transactions": "20",
		"max_wal_size":              "2GB",
		"min_wal_size":              "2MB",
		"shared_buffers":            "16MB",
		"timezone":                  "UTC",
		"unix_socket_permissions":   "0777",
		"wal_buffers":               "1MB",
		"max_worker_processes":      "2",
		"restart_after_crash":       "off",
		"log_min_messages":          "warning",
		"log_min_error_statement":   "panic",
	}
}

// initdbArgs returns the arguments that make the cluster's files; they decide which clusters may be copies of one another.
func (o Options) initdbArgs(major int) []string {
	locale, encoding := o.Locale, o.Encoding
	if locale == "" {
		locale = "C"
	}
	if encoding == "" {
		encoding = "UTF8"
	}
	args := []string{
		"--username=postgres", "--auth=trust", "--no-sync", "--wal-segsize=1",
		"--locale=" + locale, "--encoding=" + encoding,
	}
	switch {
	case o.Checksums:
		args = append(args, "--data-checksums")
	case major >= 18:
		args = append(args, "--no-data-checksums")
	}
	return append(args, o.InitdbArgs...)
}

// key names a prepared cluster.
func (o Options) key(major int, server string) string {
	sum := sha256.Sum256([]byte(server + "\x00" + strings.Join(o.initdbArgs(major), "\x00")))
	return fmt.Sprintf("%d-%s", major, hex.EncodeToString(sum[:8]))
}

// conf returns the text to add to postgresql.conf.
func (o Options) conf() string {
	all := DefaultConf()
	maps.Copy(all, o.Conf)
	var b strings.Builder
	b.WriteString("\n# for tests\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s = %s\n", name, all[name])
	}
	return b.String()
}
