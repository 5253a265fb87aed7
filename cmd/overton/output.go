package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"overton/internal/figure"
)

// writeJSON writes v as indented JSON to path, or to stdout if path is "-".
func writeJSON(stdout io.Writer, path string, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	if path == "-" {
		_, err := stdout.Write(buf.Bytes())
		return err
	}
	return writeWhole(path, buf.Bytes())
}

// checkFigure rejects a file name whose extension does not name a figure format.
func checkFigure(path string) error {
	switch filepath.Ext(path) {
	case ".svg", ".png":
		return nil
	}
	return usagef("%q: expected a file name ending in .svg or .png", path)
}

// writeFigure writes a figure in the format given by the file's extension.
func writeFigure(path string, f *figure.Figure) error {
	if err := checkFigure(path); err != nil {
		return err
	}
	if filepath.Ext(path) == ".svg" {
		return writeWhole(path, f.SVG())
	}
	content, err := f.PNG(2)
	if err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	return writeWhole(path, content)
}

// writeWhole writes a file that appears complete or not at all, and that only
// its owner can read.
func writeWhole(path string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".overton-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(content)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
