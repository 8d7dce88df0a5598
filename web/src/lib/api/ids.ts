// Ids that the page chooses: for a message, so that it is recorded once however often it is sent.

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Sixteen letters of chance. `crypto.randomUUID` is missing on plain http; this is not. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => ALPHABET[byte % 32]).join('')
}
