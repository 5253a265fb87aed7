package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Member is an account with a role on one study.
type Member struct {
	Account
	StudyRole string // admin, researcher, moderator or viewer
	Since     int64

	// Waits says that the account was made for this study alone and has no password yet, so that anyone who
	// may invite can send another link.
	Waits bool
}

// MemberRole returns an account's role on the study with a slug; "" if it is not a member.
func (s *Store) MemberRole(ctx context.Context, slug string, accountID int64) (role string, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT role FROM member WHERE slug = ? AND account_id = ?`, slug, accountID).Scan(&role)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("looking up a member of %q: %w", slug, err)
	}
	return role, nil
}

// Memberships returns an account's roles by the slugs of its studies.
func (s *Store) Memberships(ctx context.Context, accountID int64) (map[string]string, error) {
	roles := map[string]string{}
	_, err := collect(ctx, s.read, "listing memberships", func(row scanner) (struct{}, error) {
		var slug, role string
		err := row.Scan(&slug, &role)
		roles[slug] = role
		return struct{}{}, err
	}, `SELECT slug, role FROM member WHERE account_id = ?`, accountID)
	return roles, err
}

const waits = `a.role = 'member' AND a.password = '' AND NOT a.disabled AND NOT EXISTS (SELECT 1 FROM member o WHERE o.account_id = a.id AND o.slug != m.slug)`

// Members lists the members of a study by address.
func (s *Store) Members(ctx context.Context, slug string) ([]Member, error) {
	return collect(ctx, s.read, "listing members", func(row scanner) (m Member, err error) {
		err = row.Scan(&m.ID, &m.Email, &m.Password, &m.Role, &m.Disabled, &m.StudyRole, &m.Since, &m.Waits)
		return m, err
	}, `SELECT `+accountColumns+`, m.role, m.since, `+waits+` FROM member m JOIN account a ON a.id = m.account_id WHERE m.slug = ? ORDER BY a.email`, slug)
}

// Invite gives the account with an address a role on a study. If the address has no account, it creates one
// and a link for setting a password; otherwise link is "".
func (s *Store) Invite(ctx context.Context, slug, email, role string, life time.Duration, by Actor) (link string, err error) {
	err = s.update(ctx, func(tx *tx) error {
		link = ""
		a, err := scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a WHERE a.email = ?`, email))
		switch {
		case errors.Is(err, ErrNotFound):
			result, err := tx.exec(`INSERT INTO account (email, password, role, created_at) VALUES (?, '', 'member', ?)`, email, tx.now)
			if err != nil {
				return err
			}
			if a.ID, err = result.LastInsertId(); err != nil {
				return err
			}
			a.Email = email
			if link, err = newLink(tx, a.ID, life); err != nil {
				return err
			}
		case err != nil:
			return err
		}
		return setMember(tx, slug, a, role, by)
	})
	if err != nil {
		return "", fmt.Errorf("inviting to %q: %w", slug, err)
	}
	return link, nil
}

// Reinvite makes another link for a member who has no password yet; ErrConflict for others, whose accounts do
// not belong to the study.
func (s *Store) Reinvite(ctx context.Context, slug string, accountID int64, life time.Duration, by Actor) (link string, err error) {
	err = s.update(ctx, func(tx *tx) error {
		var email string
		var waiting bool
		err := tx.row(`SELECT a.email, `+waits+` FROM member m JOIN account a ON a.id = m.account_id WHERE m.slug = ? AND m.account_id = ?`, slug, accountID).Scan(&email, &waiting)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNotFound
		case err != nil:
			return err
		case !waiting:
			return ErrConflict
		}
		if err := shutOut(tx, accountID); err != nil {
			return err
		}
		if link, err = newLink(tx, accountID, life); err != nil {
			return err
		}
		return noteOn(tx, by, slug, MemberLink, email)
	})
	if err != nil {
		return "", fmt.Errorf("inviting to %q again: %w", slug, err)
	}
	return link, nil
}

// SetMember changes a member's role on a study; "" ends the membership.
func (s *Store) SetMember(ctx context.Context, slug string, accountID int64, role string, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		a, err := scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a JOIN member m ON m.account_id = a.id WHERE m.slug = ? AND a.id = ?`, slug, accountID))
		if err != nil {
			return err
		}
		if role != "" {
			return setMember(tx, slug, a, role, by)
		}
		if _, err := tx.exec(`DELETE FROM member WHERE slug = ? AND account_id = ?`, slug, accountID); err != nil {
			return err
		}
		return noteOn(tx, by, slug, MemberRemoved, a.Email)
	})
	if err != nil {
		return fmt.Errorf("changing a member of %q: %w", slug, err)
	}
	return nil
}

func setMember(tx *tx, slug string, a Account, role string, by Actor) error {
	if _, err := tx.exec(`INSERT INTO member (slug, account_id, role, since) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role`, slug, a.ID, role, tx.now); err != nil {
		return err
	}
	return noteOn(tx, by, slug, MemberSet, a.Email+", "+role)
}

// newLink makes a link that works once.
func newLink(tx *tx, accountID int64, life time.Duration) (string, error) {
	link := token()
	_, err := tx.exec(`INSERT INTO sign_in_link (token_hash, account_id, expires_at) VALUES (?, ?, ?)`, hashed(link), accountID, tx.now+life.Milliseconds())
	return link, err
}
