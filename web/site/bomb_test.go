package site

import (
	"archive/zip"
	"bytes"
	"mime/multipart"
	"net/http/httptest"
	"runtime"
	"testing"
)

func TestAZipOfZerosIsRefusedBeforeItIsUnpacked(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "a.csv", Method: zip.Deflate, UncompressedSize64: maxUnpacked + 1})
	if err == nil {
		_, err = w.Write([]byte{3, 0})
	}
	if err != nil || z.Close() != nil {
		t.Fatal("the archive was not made")
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("files", "a.zip")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(archive.Bytes()); err != nil || form.Close() != nil {
		t.Fatal("the form was not made")
	}
	r := httptest.NewRequest("POST", "/", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = ReadUpload(r)
	runtime.ReadMemStats(&after)
	if want := "The files are larger than 256 MB once unpacked."; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("took %d MB", took>>20)
	}
}
