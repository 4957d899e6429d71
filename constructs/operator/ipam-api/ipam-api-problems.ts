import type { Refusal } from '../../../operator/errors/outcome';
import { withoutEffect } from '../../props-kit/options-without-effect';
import { serverCertificateProblems } from '../certificates/server-certificate-problems';
import { clientProblems } from './client-files';
import type { IpamApiOwner } from './ipam-api-process';

/**
 * Checks how other clusters reach the IPAM-API.
 *
 * @param props - of the installation
 * @returns every problem at once
 */
export function ipamApiProblems(props: IpamApiOwner): readonly Refusal[] {
  const { expose } = props.ipamApi ?? {};
  if (expose === undefined) return [];
  return [...serverCertificateProblems('ipamApi.expose', props.certificates, expose), ...clientProblems(expose)];
}

/**
 * Finds props of the IPAM-API that change nothing beside the others.
 *
 * @param props - of the installation
 * @returns one refusal for each
 */
export function ipamApiWithoutEffect({ ipamApi }: IpamApiOwner): readonly Refusal[] {
  const { certificateSecret, dnsNames } = ipamApi?.expose ?? {};
  if (certificateSecret === undefined) return [];
  return withoutEffect('beside certificateSecret, whose certificate has its own names', [
    { field: 'ipamApi.expose.dnsNames', value: dnsNames },
  ]);
}
