import type { Refusal } from '../../../operator/errors/outcome';
import { refused } from '../../props-kit/refused';
import { secretProblems } from '../../props-kit/secret-key';
import { folderOfConfigMap, folderOfSecret, type FileFolder } from '../process/pod-folders';
import type { ProcessPart } from '../process/process-part';
import type { IpamApiClientsProps, IpamApiExposeProps } from './ipam-api-props';

const CLIENTS = { volume: 'ipam-api-clients', path: '/etc/ipam-api-clients', key: 'clients.yaml' };
const CLIENT_CA = { volume: 'ipam-api-client-ca', path: '/etc/ipam-api-client-ca', key: 'ca.crt' };

/**
 * Says where the Pods find the clients of the IPAM-API.
 *
 * @param expose - as given to the operator
 * @returns options and folders; none where no client may call version 3
 */
export function clientFiles({ clients, clientCa }: IpamApiExposeProps): ProcessPart {
  const list = clients && folderOfClients(clients);
  const trust = clientCa && folderOfSecret(CLIENT_CA.volume, CLIENT_CA.path, { key: CLIENT_CA.key, ...clientCa });
  return {
    options: {
      ...(list === undefined ? {} : { ipamApiClientsFile: list.file }),
      ...(trust === undefined ? {} : { ipamApiClientCaFile: trust.file }),
    },
    folders: [list, trust].filter((folder) => folder !== undefined),
  };
}

function folderOfClients({ secret, configMap }: IpamApiClientsProps): FileFolder | undefined {
  const { volume, path, key } = CLIENTS;
  if (secret !== undefined) return folderOfSecret(volume, path, { key, ...secret });
  return configMap && folderOfConfigMap(volume, path, { key, ...configMap });
}

/**
 * Checks the clients of the IPAM-API.
 *
 * @param expose - as given to the operator
 * @returns every problem at once
 */
export function clientProblems({ clients, clientCa }: IpamApiExposeProps): readonly Refusal[] {
  const at = 'ipamApi.expose';
  const given = [clients?.secret, clients?.configMap].filter((each) => each !== undefined).length;
  return [
    ...(clients !== undefined && given !== 1
      ? [refused(`${at}.clients`, 'the file is in one place; give either secret or configMap')]
      : []),
    ...secretProblems(`${at}.clients.secret`, clients?.secret),
    ...secretProblems(`${at}.clients.configMap`, clients?.configMap),
    ...secretProblems(`${at}.clientCa`, clientCa),
    ...(clientCa !== undefined && clients === undefined
      ? [
          refused(
            `${at}.clientCa`,
            'has no effect without clients, of which none may call version 3; leave it out, or give clients',
          ),
        ]
      : []),
  ];
}
