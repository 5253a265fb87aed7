package llm

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"
)

//go:embed prompts/*.txt
var embedded embed.FS

// Prompts are the texts that models are sent: templates (text/template) in files, one for each way of asking.
// The text of a file is the user's message; {{define "system"}} in it is the system message, and {{define
// "assistant"}} is how the answer begins. options.txt is available to all of them.
//
// Values filled into a template are never executed as templates.
type Prompts struct {
	templates map[string]*template.Template
	// SHA256 are the hashes of the files, by name without .txt.
	SHA256 map[string]string
}

// sharedPrompt is the file whose definitions every other file may use.
const sharedPrompt = "options"

// ReadPrompts reads the prompts that ship with the program. Files of own, a folder that may be nil, replace
// those with the same name; a file that replaces none is an error, because it would never be sent.
func ReadPrompts(own fs.FS) (*Prompts, error) {
	names, err := fs.Glob(embedded, "prompts/*.txt")
	if err != nil {
		return nil, fmt.Errorf("listing the prompts: %w", err)
	}
	texts := map[string]string{}
	for _, file := range names {
		content, err := embedded.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a prompt: %w", err)
		}
		texts[promptName(file)] = string(content)
	}
	if own != nil {
		if err := replacePrompts(texts, own); err != nil {
			return nil, err
		}
	}
	p := &Prompts{templates: map[string]*template.Template{}, SHA256: map[string]string{}}
	for name, text := range texts {
		sum := sha256.Sum256([]byte(text))
		p.SHA256[name] = hex.EncodeToString(sum[:])
		t, err := template.New(sharedPrompt + ".txt").Option("missingkey=error").Parse(texts[sharedPrompt])
		if err == nil && name != sharedPrompt {
			t, err = t.New(name + ".txt").Parse(text)
		}
		if err != nil {
			return nil, fmt.Errorf("prompt %s.txt: %w", name, err)
		}
		p.templates[name] = t
	}
	return p, nil
}

func promptName(file string) string { return strings.TrimSuffix(path.Base(file), ".txt") }

func replacePrompts(texts map[string]string, own fs.FS) error {
	files, err := fs.Glob(own, "*.txt")
	switch {
	case err != nil:
		return fmt.Errorf("listing your own prompts: %w", err)
	case len(files) == 0:
		return errors.New("the folder of prompts is empty; expected files such as direct.txt")
	}
	for _, file := range files {
		if _, known := texts[promptName(file)]; !known {
			return fmt.Errorf("%s replaces no prompt; expected the name of an existing prompt", file)
		}
		content, err := fs.ReadFile(own, file)
		if err != nil {
			return fmt.Errorf("reading your own prompt: %w", err)
		}
		texts[promptName(file)] = string(content)
	}
	return nil
}

// Text is one definition in a prompt, trimmed; "" if the prompt has no such definition. part "" is the user's
// message.
func (p *Prompts) Text(name, part string, data any) (string, error) {
	t, ok := p.templates[name]
	if !ok {
		return "", fmt.Errorf("there is no prompt %s.txt", name)
	}
	if t = t.Lookup(cmp.Or(part, name+".txt")); t == nil {
		return "", nil
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("filling in a prompt: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}
