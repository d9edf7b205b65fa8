package pgtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// initCluster fills the new directory dir with a cluster that o describes.
//
// initdb takes seconds, so its result is kept in the cache directory and copied.
func initCluster(ctx context.Context, major int, server, dir string, o Options, own owner) error {
	if o.Fresh {
		return runInitdb(ctx, major, server, dir, o, own)
	}
	cache, err := CacheDir()
	if err != nil {
		return err
	}
	kept := filepath.Join(cache, "clusters", o.key(major, server))
	if !exists(kept) {
		if err := keepCluster(ctx, major, server, kept, o, own); err != nil {
			return err
		}
	}
	return copyTree(ctx, kept, dir)
}

// keepCluster makes the cluster kept unless another process does.
func keepCluster(ctx context.Context, major int, server, kept string, o Options, own owner) error {
	cache := filepath.Dir(filepath.Dir(kept))
	unlock, err := lockCache(cache)
	if err != nil {
		return err
	}
	defer unlock()
	if exists(kept) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(kept), "initdb-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := own.give(tmp); err != nil {
		return err
	}
	data := filepath.Join(tmp, "data")
	if err := runInitdb(ctx, major, server, data, o, own); err != nil {
		return err
	}
	return os.Rename(data, kept)
}

// runInitdb makes a cluster in dir, whose parent own may write.
func runInitdb(ctx context.Context, major int, server, dir string, o Options, own owner) error {
	if err := own.mayEnter(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := own.mayEnter(server); err != nil {
		return err
	}
	args := append([]string{"-D", dir}, o.initdbArgs(major)...)
	cmd := exec.CommandContext(ctx, filepath.Join(server, "bin", "initdb"), args...)
	cmd.Dir = filepath.Dir(dir)
	cmd.Env = serverEnv()
	cmd.SysProcAttr = own.attr()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// copyTree copies src to the new path dst with owners, modes and times, sharing blocks where the file system can.
func copyTree(ctx context.Context, src, dst string) error {
	out, err := exec.CommandContext(ctx, "cp", "-a", "--reflink=auto", src, dst).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy %s to %s: %w: %s", src, dst, err, out)
	}
	return nil
}

// serverEnv is an environment in which no setting of the user's reaches a server.
func serverEnv() []string {
	env := []string{"LC_ALL=C", "TZ=UTC", "HOME=/nonexistent"}
	if path := os.Getenv("PATH"); path != "" {
		env = append(env, "PATH="+path)
	}
	return env
}
