//go:build linux || darwin || freebsd

package store

import (
	"fmt"
	"path/filepath"
	"syscall"
)

// Space is how many bytes are free on the disk that has the database.
func (s *Store) Space() (int64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(s.path), &st); err != nil {
		return 0, fmt.Errorf("looking for free space: %w", err)
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}
