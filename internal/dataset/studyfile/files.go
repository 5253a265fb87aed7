package studyfile

import (
	"bytes"
	"io/fs"
	"time"
)

// Files is a folder held in memory: names to contents. A study that was
// launched is kept so, and read again like any other folder.
type Files map[string][]byte

// Open implements fs.FS.
func (f Files) Open(name string) (fs.File, error) {
	content, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &memoryFile{bytes.NewReader(content), name}, nil
}

// memoryFile is an open file of Files, and its own description.
type memoryFile struct {
	*bytes.Reader
	name string
}

func (m *memoryFile) Stat() (fs.FileInfo, error) { return m, nil }
func (m *memoryFile) Close() error               { return nil }
func (m *memoryFile) Name() string               { return m.name }
func (m *memoryFile) Mode() fs.FileMode          { return 0o444 }
func (m *memoryFile) ModTime() time.Time         { return time.Time{} }
func (m *memoryFile) IsDir() bool                { return false }
func (m *memoryFile) Sys() any                   { return nil }
