import { openCertificateFolder } from '../backends/files/certificate-folder';
import type { CertificateSource } from '../ports/certificates';
import type { Tools } from '../ports/tools';
import { openSelfSigned } from '../server/self-signed';
import { checkPair, datesProblem } from '../server/serving-certificate';
import { hasWebhooks } from '../settings/door-settings';
import type { Settings } from '../settings/options';

/** Settings of the serving certificate. */
export type CertificateSettings = Pick<
  Settings,
  | 'services'
  | 'egress'
  | 'ipamApiTls'
  | 'ipamApiCertPath'
  | 'webhookCertPath'
  | 'webhookCertName'
  | 'webhookCertKey'
  | 'selfSignedNames'
  | 'selfSignedCaFile'
>;

/**
 * Opens the serving certificate of the webhooks, or of the IPAM-API where nothing else is served: from a folder that another
 * program fills, or self-signed in memory.
 *
 * @param settings - folder, or names and CA file
 * @param tools - clock, logger, meter
 * @returns the certificate, reloaded live
 * @throws IpamError `certificate/invalid`
 */
export function openServingCertificate(settings: CertificateSettings, tools: Tools): Promise<CertificateSource> {
  const { webhookCertPath, webhookCertName, webhookCertKey, selfSignedNames, selfSignedCaFile } = settings;
  if (!hasWebhooks(settings) && settings.ipamApiTls && settings.ipamApiCertPath !== '') {
    return openTlsFolder(settings.ipamApiCertPath, tools);
  }
  if (webhookCertPath !== '') {
    const names = { certificateName: webhookCertName, keyName: webhookCertKey };
    return openCertificateFolder({ folder: webhookCertPath, ...names, checkPair, datesProblem, ...tools });
  }
  const authority = selfSignedCaFile === '' ? {} : { authorityFile: selfSignedCaFile };
  return openSelfSigned({ names: selfSignedNames, ...authority, ...tools });
}

/**
 * Opens the certificate of a server of its own, such as the IPAM-API; the names are those of a Secret of type kubernetes.io/tls.
 *
 * @param folder - filled by another program
 * @param tools - clock, logger, meter
 * @returns the certificate, reloaded live
 * @throws IpamError `certificate/invalid`
 */
export function openTlsFolder(folder: string, tools: Tools): Promise<CertificateSource> {
  return openCertificateFolder({
    folder,
    certificateName: 'tls.crt',
    keyName: 'tls.key',
    checkPair,
    datesProblem,
    ...tools,
  });
}
