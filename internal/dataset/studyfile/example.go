package studyfile

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed example
var example embed.FS

// Example is the folder of a small study, with comments, that can be launched
// as it is.
func Example() fs.FS {
	folder, err := fs.Sub(example, "example")
	if err != nil {
		panic("studyfile: the embedded example: " + err.Error()) // the name is a constant
	}
	return folder
}

// WriteExample makes a folder with the example's files. A folder that has
// something in it is left alone, with an error.
func WriteExample(dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("making a study: %s is not empty", filepath.Clean(dir))
	}
	if err := os.CopyFS(dir, Example()); err != nil {
		return fmt.Errorf("making a study: %w", err)
	}
	return nil
}
