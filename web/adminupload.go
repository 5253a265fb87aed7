package web

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

	"overton/internal/dataset/studyfile"
)

const newStudyPath = "/admin/studies/new"

// Bounds of an upload: of the request, of all its files unpacked, in bytes,
// and of how many files there may be.
const (
	maxUpload   = 64 << 20
	maxUnpacked = 256 << 20
	maxFiles    = 1000
)

// uploadError says what is wrong with an upload as a whole.
type uploadError struct{ text string }

func (e *uploadError) Error() string { return e.text }

func unusable(format string, args ...any) error { return &uploadError{fmt.Sprintf(format, args...)} }

// box is what a form with files held.
type box struct {
	files  studyfile.Files   // of the field "files": as they are, or out of a .zip
	slots  map[string][]byte // of other fields with a file, by the field's name
	names  map[string]string // of those files
	values url.Values        // of fields without a file
	size   int64             // of files, unpacked
}

// received reads a form with files. Fields without a chosen file are left out.
func received(r *http.Request) (*box, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, unusable("No file was sent.")
	}
	box := &box{files: studyfile.Files{}, slots: map[string][]byte{}, names: map[string]string{}, values: url.Values{}}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return box, nil
		}
		if err == nil {
			err = box.take(part)
		}
		var large *http.MaxBytesError
		var known *uploadError
		switch {
		case errors.As(err, &large):
			return nil, unusable("The files are larger than %d MB together.", maxUpload>>20)
		case errors.As(err, &known):
			return nil, err
		case err != nil:
			return nil, unusable("The files did not arrive whole. Send them again.")
		}
	}
}

func (b *box) take(part *multipart.Part) error {
	field, name := part.FormName(), part.FileName()
	content, err := io.ReadAll(part)
	switch {
	case err != nil:
		return err
	case name == "" && part.Header.Get("Content-Type") == "":
		b.values.Add(field, string(content))
		return nil
	case name == "": // a field for files in which none was chosen
		return nil
	case field != "files":
		b.slots[field], b.names[field] = content, name
		return nil
	}
	if !strings.EqualFold(path.Ext(name), ".zip") {
		return b.put(name, bytes.NewReader(content))
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return unusable("%s is not a .zip file that can be read.", name)
	}
	for _, f := range archive.File {
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") || path.Base(f.Name) == ".DS_Store" {
			continue
		}
		entry, err := f.Open()
		if err != nil {
			return unusable("%s in %s cannot be unpacked.", f.Name, name)
		}
		err = b.put(f.Name, entry)
		entry.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// uploaded is the files of a study that a form holds.
func uploaded(r *http.Request) (studyfile.Files, error) {
	b, err := received(r)
	if err != nil {
		return nil, err
	}
	return b.folder()
}

func (b *box) folder() (studyfile.Files, error) {
	if len(b.files) == 0 {
		return nil, unusable("No file was sent.")
	}
	return rooted(b.files), nil
}

func (b *box) put(name string, content io.Reader) error {
	if _, twice := b.files[name]; twice {
		return unusable("There are two files called %s.", name)
	}
	if len(b.files) == maxFiles {
		return unusable("There are more than %d files.", maxFiles)
	}
	data, err := io.ReadAll(io.LimitReader(content, maxUnpacked-b.size+1))
	if err != nil {
		return unusable("%s cannot be unpacked.", name)
	}
	if b.size += int64(len(data)); b.size > maxUnpacked {
		return unusable("The files are larger than %d MB once unpacked.", maxUnpacked>>20)
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
