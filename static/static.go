// Package static holds the style sheet, the script and the icon of all pages,
// embedded in the program. They are served under names that carry a hash of
// their content, so browsers may keep them permanently. Nothing here is loaded
// from another host, and every page works without the script.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
)

//go:embed overton.css overton.js setup.js tables.js runs.js live.js moderation.js icon.svg
var files embed.FS

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

type asset struct {
	name string
	body []byte
}

// byName leads from a file's own name to its hashed name, assets from the
// hashed name to its content.
var byName, assets = load()

func load() (map[string]string, map[string]asset) {
	names, all := map[string]string{}, map[string]asset{}
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("static: reading embedded files: " + err.Error())
	}
	for _, e := range entries {
		body, err := files.ReadFile(e.Name())
		if err != nil {
			panic("static: reading embedded files: " + err.Error())
		}
		sum := sha256.Sum256(body)
		ext := path.Ext(e.Name())
		hashed := strings.TrimSuffix(e.Name(), ext) + "." + hex.EncodeToString(sum[:6]) + ext
		names[e.Name()] = hashed
		all[hashed] = asset{e.Name(), body}
	}
	return names, all
}

// Path is where a file is served, below the site's base path:
// "overton.css" is at "/static/overton.1f2e3d4c5b6a.css". It panics for a file
// that does not exist, which a test of any page finds.
func Path(name string) string {
	hashed, ok := byName[name]
	if !ok {
		panic("static: no file " + name)
	}
	return "/static/" + hashed
}

// Serve answers a request for a hashed name. Other names are not found.
func Serve(w http.ResponseWriter, r *http.Request, hashed string) {
	a, ok := assets[hashed]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", contentTypes[path.Ext(a.name)])
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	if r.Method == http.MethodHead {
		return
	}
	w.Write(a.body) // an error here means that the browser left
}
