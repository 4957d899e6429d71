import type { CertificateSource } from './ports/certificates';
import { openSelfSigned } from './server/self-signed';
import { openCertificateFolder } from './server/serving-certificate';
import type { Settings } from './settings/options';
import type { Tools } from './surroundings';

/**
 * Opens the serving certificate of the webhooks: a folder that somebody else fills, or one of our own making in memory.
 *
 * @param settings - folder, or names and CA file
 * @param tools - clock, logger, meter
 * @returns the certificate, reloaded live
 * @throws IpamError `certificate/invalid`
 */
export function openServingCertificate(settings: Settings, tools: Tools): Promise<CertificateSource> {
  const { webhookCertPath, webhookCertName, webhookCertKey, selfSignedNames, selfSignedCaFile } = settings;
  if (webhookCertPath !== '') {
    const names = { certificateName: webhookCertName, keyName: webhookCertKey };
    return openCertificateFolder({ folder: webhookCertPath, ...names, ...tools });
  }
  const authority = selfSignedCaFile === '' ? {} : { authorityFile: selfSignedCaFile };
  return openSelfSigned({ names: selfSignedNames, ...authority, ...tools });
}
