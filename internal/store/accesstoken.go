package store

import (
	"context"
	"fmt"
	"time"
)

// AccessToken lets a script download in someone's name. The token itself is not stored.
type AccessToken struct {
	ID                       int64
	Name                     string
	Created, Expires, UsedAt int64 // UsedAt 0: never
}

// accessPrefix begins access tokens, so that a leaked one is recognised.
const accessPrefix = "overton_"

// NewAccessToken makes an access token for an account.
func (s *Store) NewAccessToken(ctx context.Context, accountID int64, name string, life time.Duration) (tok string, err error) {
	tok = accessPrefix + token()
	err = s.update(ctx, func(tx *tx) error {
		if _, err := tx.exec(`INSERT INTO access_token (account_id, name, token_hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?)`,
			accountID, name, hashed(tok), tx.now, tx.now+life.Milliseconds()); err != nil {
			return err
		}
		return note(tx, Actor(accountID), 0, TokenCreated, name)
	})
	if err != nil {
		return "", fmt.Errorf("making an access token: %w", err)
	}
	return tok, nil
}

// AccessTokens lists an account's tokens, including expired ones, the newest first.
func (s *Store) AccessTokens(ctx context.Context, accountID int64) ([]AccessToken, error) {
	return collect(ctx, s.read, "listing access tokens", func(row scanner) (t AccessToken, err error) {
		err = row.Scan(&t.ID, &t.Name, &t.Created, &t.Expires, &t.UsedAt)
		return t, err
	}, `SELECT id, name, created_at, expires_at, coalesce(used_at, 0) FROM access_token WHERE account_id = ? ORDER BY id DESC`, accountID)
}

// RevokeAccessToken ends one of an account's tokens.
func (s *Store) RevokeAccessToken(ctx context.Context, accountID, id int64) error {
	err := s.update(ctx, func(tx *tx) error {
		var name string
		if err := tx.row(`SELECT coalesce((SELECT name FROM access_token WHERE id = ? AND account_id = ?), '')`, id, accountID).Scan(&name); err != nil || name == "" {
			return err
		}
		if _, err := tx.exec(`DELETE FROM access_token WHERE id = ?`, id); err != nil {
			return err
		}
		return note(tx, Actor(accountID), 0, TokenRevoked, name)
	})
	if err != nil {
		return fmt.Errorf("revoking an access token: %w", err)
	}
	return nil
}

// ByAccessToken returns the account of a token and records the use, at most once a minute. The error is
// ErrNotFound if the token is unknown, revoked or expired, or the account is disabled.
func (s *Store) ByAccessToken(ctx context.Context, token string) (Account, error) {
	now := s.now().UnixMilli()
	a, err := scanAccount(s.read.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM access_token k JOIN account a ON a.id = k.account_id
		WHERE k.token_hash = ? AND k.expires_at > ? AND NOT a.disabled`, hashed(token), now))
	if err != nil {
		return a, fmt.Errorf("checking an access token: %w", err)
	}
	var stale bool
	minute := time.Minute.Milliseconds()
	if err := s.read.QueryRowContext(ctx, `SELECT coalesce(used_at, 0) < ? FROM access_token WHERE token_hash = ?`, now-minute, hashed(token)).Scan(&stale); err != nil || !stale {
		return a, err
	}
	return a, s.update(ctx, func(tx *tx) error {
		_, err := tx.exec(`UPDATE access_token SET used_at = ? WHERE token_hash = ?`, tx.now, hashed(token))
		return err
	})
}

// SignedInSince is one sign-in of an account.
type SignedInSince struct {
	Created, Expires int64
	Here             bool // the sign-in of the token given
}

// SignIns lists an account's sign-ins, the newest first.
func (s *Store) SignIns(ctx context.Context, accountID int64, token string) ([]SignedInSince, error) {
	return collect(ctx, s.read, "listing sign-ins", func(row scanner) (i SignedInSince, err error) {
		err = row.Scan(&i.Created, &i.Expires, &i.Here)
		return i, err
	}, `SELECT created_at, expires_at, token_hash = ? FROM sign_in WHERE account_id = ? AND expires_at > ? ORDER BY created_at DESC`,
		hashed(token), accountID, s.now().UnixMilli())
}

// EndOtherSignIns ends all of an account's sign-ins except that of a token.
func (s *Store) EndOtherSignIns(ctx context.Context, accountID int64, token string) error {
	err := s.update(ctx, func(tx *tx) error {
		if _, err := tx.exec(`DELETE FROM sign_in WHERE account_id = ? AND token_hash != ?`, accountID, hashed(token)); err != nil {
			return err
		}
		return note(tx, Actor(accountID), 0, SignInsEnded, "")
	})
	if err != nil {
		return fmt.Errorf("ending sign-ins: %w", err)
	}
	return nil
}
