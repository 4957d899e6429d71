import { clientLogin, registerIpamApi, registerIpamApiV3, settleShares } from '../../front-doors/ipam-api/index';
import type { CertificateSource } from '../../ports/certificates';
import type { Tools } from '../../ports/tools';
import { hasWebhooks } from '../../settings/door-settings';
import type { Settings } from '../../settings/options';
import { openApiLogins } from '../api-logins';
import { openTlsFolder } from '../certificates';
import type { Door, RecordDoorKind, DoorParts, DoorRoutes } from '../door';
import { version3Parts } from '../version3-parts';

type ApiSettings = Pick<
  Settings,
  | 'services'
  | 'egress'
  | 'ipamApiTls'
  | 'ipamApiCertPath'
  | 'ipamApiClientsFile'
  | 'ipamApiClientCaFile'
  | 'ipamApiDeadlineSeconds'
  | 'allowAnonymousV2'
>;

/** The IPAM-API for other clusters. */
export const IPAM_API_DOOR: RecordDoorKind = {
  name: 'ipam-api',
  needsRecord: true,
  holdsOwnClaims: false,
  isOn: ({ ipamApiBindAddress }) => ipamApiBindAddress !== undefined,
  open: openIpamApiDoor,
};

async function openIpamApiDoor(settings: ApiSettings, parts: DoorParts): Promise<Door> {
  const { tools, environment } = parts;
  const own = await openOwnCertificate(settings, tools);
  const certificate = own ?? environment.certificate;
  try {
    const logins = await openApiLogins(
      { clientsFile: settings.ipamApiClientsFile, caFile: settings.ipamApiClientCaFile },
      tools,
    );
    const { clientCa } = logins;
    const { ipamApiTls, ipamApiDeadlineSeconds: deadlineSeconds, allowAnonymousV2 } = settings;
    const version3 = version3Parts(parts, deadlineSeconds);
    const register: DoorRoutes['register'] = (app) => {
      registerIpamApi(app, { ...tools, book: parts.book, deadlineSeconds, allowAnonymousV2 });
      if (version3 !== undefined) {
        registerIpamApiV3(app, { ...version3, clients: logins }, clientLogin(logins, tools.clock));
      }
    };
    const { shown } = version3 ?? {};
    const endShares = shown && settleShares({ ...tools, shown, zones: parts.zones, clients: logins });
    const tls = ipamApiTls ? { certificate, ...(clientCa === undefined ? {} : { clientCa }) } : {};
    return {
      checks: [],
      routes: [{ listener: 'ipamApi', tls, register }],
      close: async () => {
        await endShares?.();
        logins.close();
        own?.close();
      },
    };
  } catch (thrown) {
    own?.close();
    throw thrown;
  }
}

// Where the API is all that is served, the certificate of the environment is its own.
async function openOwnCertificate(settings: ApiSettings, tools: Tools): Promise<CertificateSource | undefined> {
  const { ipamApiTls, ipamApiCertPath: folder } = settings;
  return hasWebhooks(settings) && folder !== '' && ipamApiTls ? openTlsFolder(folder, tools) : undefined;
}
