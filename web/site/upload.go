package site

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strings"

	"overton/internal/dataset"
	"overton/internal/dataset/studyfile"
	"overton/templates"
)

// mostFaults is how many faults are listed; the rest is counted.
const mostFaults = 100

// FaultLines are faults as pages list them, and how many more there are.
func FaultLines(faults dataset.Faults) (lines []templates.Fault, more int) {
	if len(faults) > mostFaults {
		faults, more = faults[:mostFaults], len(faults)-mostFaults
	}
	for _, f := range faults {
		lines = append(lines, templates.Fault{File: f.File, Line: f.Line, Column: f.Column,
			Value: Shorten(f.Value, 200), Message: f.Message})
	}
	return lines, more
}

// Bounds of an upload: of the request, of all its files unpacked, in bytes,
// and of how many files there may be.
const (
	MaxUpload   = 64 << 20
	maxUnpacked = 256 << 20
	maxFiles    = 1000
)

// UploadError says what is wrong with an upload as a whole.
type UploadError struct{ text string }

func (e *UploadError) Error() string { return e.text }

// Unusable is an UploadError.
func Unusable(format string, args ...any) error { return &UploadError{fmt.Sprintf(format, args...)} }

// Upload is what a form with files held.
type Upload struct {
	files  studyfile.Files   // of the field "files": as they are, or out of a .zip
	Slots  map[string][]byte // of other fields with a file, by the field's name
	Names  map[string]string // of those files
	Values url.Values        // of fields without a file
	size   int64             // of files, unpacked
}

// ReadUpload reads a form with files. Fields without a chosen file are left out.
func ReadUpload(r *http.Request) (*Upload, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, Unusable("No file was sent.")
	}
	box := &Upload{files: studyfile.Files{}, Slots: map[string][]byte{}, Names: map[string]string{}, Values: url.Values{}}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return box, nil
		}
		if err == nil {
			err = box.take(part)
		}
		var large *http.MaxBytesError
		var known *UploadError
		switch {
		case errors.As(err, &large):
			return nil, Unusable("The files are larger than %d MB together.", MaxUpload>>20)
		case errors.As(err, &known):
			return nil, err
		case err != nil:
			return nil, Unusable("The files did not arrive whole. Send them again.")
		}
	}
}

func (b *Upload) take(part *multipart.Part) error {
	field, name := part.FormName(), part.FileName()
	content, err := io.ReadAll(part)
	switch {
	case err != nil:
		return err
	case name == "" && part.Header.Get("Content-Type") == "":
		b.Values.Add(field, string(content))
		return nil
	case name == "": // a field for files in which none was chosen
		return nil
	case field != "files":
		b.Slots[field], b.Names[field] = content, name
		return nil
	}
	if !strings.EqualFold(path.Ext(name), ".zip") {
		return b.put(name, bytes.NewReader(content))
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return Unusable("%s is not a .zip file that can be read.", name)
	}
	var claimed uint64 // what unpacks to more than it claims is refused by the library
	for _, f := range archive.File {
		if claimed += f.UncompressedSize64; f.UncompressedSize64 > maxUnpacked || claimed > maxUnpacked {
			return Unusable("The files are larger than %d MB once unpacked.", maxUnpacked>>20)
		}
	}
	for _, f := range archive.File {
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") || path.Base(f.Name) == ".DS_Store" {
			continue
		}
		entry, err := f.Open()
		if err != nil {
			return Unusable("%s in %s cannot be unpacked.", f.Name, name)
		}
		err = b.put(f.Name, entry)
		entry.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// UploadedFolder is the files of a study that a form holds.
func UploadedFolder(r *http.Request) (studyfile.Files, error) {
	b, err := ReadUpload(r)
	if err != nil {
		return nil, err
	}
	return b.Folder()
}

// Folder is the files of a study.
func (b *Upload) Folder() (studyfile.Files, error) {
	if len(b.files) == 0 {
		return nil, Unusable("No file was sent.")
	}
	return rooted(b.files), nil
}

func (b *Upload) put(name string, content io.Reader) error {
	if _, twice := b.files[name]; twice {
		return Unusable("There are two files called %s.", name)
	}
	if len(b.files) == maxFiles {
		return Unusable("There are more than %d files.", maxFiles)
	}
	data, err := io.ReadAll(io.LimitReader(content, maxUnpacked-b.size+1))
	if err != nil {
		return Unusable("%s cannot be unpacked.", name)
	}
	if b.size += int64(len(data)); b.size > maxUnpacked {
		return Unusable("The files are larger than %d MB once unpacked.", maxUnpacked>>20)
	}
	b.files[name] = data
	return nil
}

// rooted takes the folder off the names of files that were packed with it:
// the folder that study.yaml lies in, nearest to the top.
func rooted(files studyfile.Files) studyfile.Files {
	var folder string
	found := false
	for name := range files {
		dir, base := path.Split(name)
		if base == studyfile.FileName && (!found || len(dir) < len(folder)) {
			folder, found = dir, true
		}
	}
	if folder == "" {
		return files
	}
	inside := studyfile.Files{}
	for name, content := range files {
		if rest, ok := strings.CutPrefix(name, folder); ok {
			inside[rest] = content
		}
	}
	return inside
}
