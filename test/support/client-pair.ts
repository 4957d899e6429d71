import 'reflect-metadata'; // @peculiar/x509 needs it before it loads
import { webcrypto } from 'node:crypto';
import {
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { makeAuthority } from '../../operator/server/self-signed';

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A client certificate of `CN=cluster-a, O=example` with the name `cluster-a.example`, and the CA that signed it, in PEM. */
export async function clientPair(): Promise<{
  readonly key: string;
  readonly cert: string;
  readonly authority: string;
}> {
  const nowMs = Date.now();
  const authority = await makeAuthority(nowMs);
  const keys = await webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const leaf = await X509CertificateGenerator.create(
    {
      serialNumber: '01',
      notBefore: new Date(nowMs - 60_000),
      notAfter: new Date(nowMs + 3_600_000),
      signingAlgorithm: P256,
      subject: 'CN=cluster-a, O=example',
      issuer: authority.issuer.subject,
      publicKey: keys.publicKey,
      signingKey: authority.keys.privateKey,
      extensions: [
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
        new SubjectAlternativeNameExtension([{ type: 'dns', value: 'cluster-a.example' }]),
      ],
    },
    webcrypto,
  );
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    key: PemConverter.encode(pkcs8, 'PRIVATE KEY'),
    cert: leaf.toString('pem'),
    authority: authority.certificate,
  };
}
