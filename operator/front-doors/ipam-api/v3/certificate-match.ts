import { createHash, type X509Certificate } from 'node:crypto';
import type { ClientProps } from '../../../contract/ipam-api/v3/clients';

type Wanted = NonNullable<ClientProps['certificates']>[number];

/**
 * Tells whether a certificate, whose chain was verified already, is what a client shows.
 *
 * @param wanted - what is named of it
 * @param certificate - as it was shown
 * @returns true when everything that is named is so
 */
export function isCertificate(wanted: Wanted, certificate: X509Certificate): boolean {
  const { subject, san, spkiSha256 } = wanted;
  if (subject !== undefined && !sameSubject(subject, certificate.subject)) return false;
  if (san !== undefined && !alternativeNames(certificate).includes(san)) return false;
  return spkiSha256 === undefined || spkiSha256.toLowerCase() === spkiOf(certificate);
}

// Node writes one line for each attribute.
function sameSubject(wanted: string, subject: string): boolean {
  const parts = (text: string, separator: string): string =>
    JSON.stringify(
      text
        .split(separator)
        .map((part) => part.trim())
        .sort(),
    );
  return parts(wanted, ',') === parts(subject, '\n');
}

// A name with a comma stands in quotes; a client that could choose one might else be taken for another.
function alternativeNames({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return subjectAltName.includes('"') ? [] : subjectAltName.split(', ');
}

function spkiOf({ publicKey }: X509Certificate): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}
