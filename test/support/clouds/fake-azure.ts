import { CloudServer, json, type Answer, type CloudFault, type SeenRequest } from './cloud-server';

/** An IP configuration as users of the stand-in write it. */
export interface FakeConfig {
  readonly name: string;
  readonly address: string;
  readonly primary?: boolean;
  readonly pools?: readonly string[];
}

interface FakeNic {
  readonly id: string;
  etag: number;
  configs: Record<string, unknown>[];
}

const SUBSCRIPTION = '/subscriptions/sub-1';
const GROUP = `${SUBSCRIPTION}/resourceGroups/cluster-rg`;
const NETWORK = `${GROUP}/providers/Microsoft.Network`;
/** The one virtual network of the stand-in. */
const VNET = `${NETWORK}/virtualNetworks/vnet`;
/** Its one subnet. */
const AZURE_SUBNET = `${VNET}/subnets/workers`;

/** Identifier of a pool of the load balancer of the stand-in. */
export const poolId = (name: string): string => `${NETWORK}/loadBalancers/lb/backendAddressPools/${name}`;

/** `spec.providerID` of a node whose machine is of the stand-in; the cloud provider writes the group in lower case. */
export const azureNode = (name: string) => ({
  name,
  providerId: `azure://${SUBSCRIPTION}/resourceGroups/cluster-rg/providers/Microsoft.Compute/virtualMachines/${name}`,
});

const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  json(status, { error: { code, message: code } }, headers);

/** Documents of Microsoft that tell each fault. */
export const AZURE_FAULTS = {
  /**
   * Too many calls: status 429 with `Retry-After`.
   * https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling
   */
  throttled:
    (path: string, seconds = 17): CloudFault =>
    ({ url }) =>
      url.pathname.toLowerCase().includes(path.toLowerCase())
        ? refusal(429, 'TooManyRequests', { 'retry-after': String(seconds) })
        : undefined,
  /**
   * A right is missing: status 403, code `AuthorizationFailed`.
   * https://learn.microsoft.com/azure/role-based-access-control/troubleshooting
   */
  forbidden:
    (path: string): CloudFault =>
    ({ url }) =>
      url.pathname.includes(path) ? refusal(403, 'AuthorizationFailed') : undefined,
} as const;

/**
 * The Azure Resource Manager and Microsoft Entra as their REST references describe them, as far as egress addresses need them: tokens by client
 * secret or assertion, lists with `nextLink`, network interfaces with ETags, writes that go on after the answer
 * (https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations), and a virtual network that shows a detached address for a
 * while.
 */
export class FakeAzure extends CloudServer {
  readonly machines = new Map<
    string,
    { readonly nics: readonly { readonly id: string; readonly primary?: boolean }[] }
  >();
  readonly nics = new Map<string, FakeNic>();
  /** Pools by name, true for one that an outbound rule uses. */
  readonly pools = new Map<string, boolean>();
  readonly secrets = new Map([['client-1', 'a-client-secret']]);
  /** Tokens of ServiceAccounts that are taken. */
  readonly assertions = new Set<string>();
  /** Addresses of the subnet that others have, or that are shown on. */
  readonly others = new Map<string, string>();
  pageSize = 50;
  /** Looks at an operation before it ends. */
  looks = 1;
  /** Code with which the next operation fails after its answer. */
  failing: string | undefined;
  /** Called when an interface was read, before the answer. */
  afterRead: (nic: FakeNic) => void = () => undefined;
  logins = 0;
  readonly #operations = new Map<string, { looks: number; readonly end: () => string | undefined }>();

  /** Writes of interfaces that were taken. */
  writes = 0;

  addMachine(name: string, configs: readonly FakeConfig[]): FakeNic {
    const nic = this.#nic(`${name}-nic`, configs);
    this.machines.set(name, { nics: [{ id: nic.id, primary: true }] });
    return nic;
  }

  /** A machine with a second interface, which stands first and is not the primary one. */
  addWithSecond(name: string, configs: readonly FakeConfig[], second: readonly FakeConfig[]): void {
    const nic = this.addMachine(name, configs);
    const other = this.#nic(`${name}-nic2`, second);
    this.machines.set(name, {
      nics: [
        { id: other.id, primary: false },
        { id: nic.id, primary: true },
      ],
    });
  }

  /** Texts of an interface. */
  has(name: string): readonly string[] {
    return (this.nics.get(`${name}-nic`)?.configs ?? []).map((config) =>
      String(propertiesOf(config)['privateIPAddress']),
    );
  }

  remove(name: string): void {
    this.machines.delete(name);
    this.nics.delete(`${name}-nic`);
  }

  protected answer(request: SeenRequest): Answer {
    const path = request.url.pathname;
    if (path.endsWith('/oauth2/v2.0/token')) return this.#token(request);
    if (!/^Bearer token-\d+$/u.test(request.headers.authorization ?? ''))
      return refusal(401, 'InvalidAuthenticationToken');
    if (path.startsWith('/operations/')) return this.#operation(path);
    if (!request.url.searchParams.has('api-version')) return refusal(400, 'MissingApiVersionParameter');
    return this.#resource(request, path.toLowerCase());
  }

  #resource(request: SeenRequest, path: string): Answer {
    const [, kind = '', name = ''] =
      /\/(virtualmachines|networkinterfaces|virtualnetworks|backendaddresspools)(?:\/([^/]+))?$/u.exec(path) ?? [];
    switch (kind) {
      case 'virtualmachines':
        return name === ''
          ? this.#page(
              request,
              [...this.machines.keys()].map((each) => this.#machine(each)),
            )
          : this.#one(name);
      case 'networkinterfaces':
        return name === ''
          ? this.#page(request, [...this.nics.values()].map(nicBody))
          : this.#interface(request, this.nics.get(name));
      case 'virtualnetworks':
        return this.#network();
      case 'backendaddresspools':
        return this.#pool(name);
      default:
        return refusal(404, 'ResourceNotFound');
    }
  }

  #one(name: string): Answer {
    return this.machines.has(name) ? json(200, this.#machine(name)) : refusal(404, 'ResourceNotFound');
  }

  #machine(name: string) {
    const interfaces = (this.machines.get(name)?.nics ?? []).map(({ id, primary }) => ({
      id,
      ...(primary === undefined ? {} : { properties: { primary } }),
    }));
    return {
      id: `${GROUP}/providers/Microsoft.Compute/virtualMachines/${name}`,
      name,
      properties: { networkProfile: { networkInterfaces: interfaces } },
    };
  }

  #interface(request: SeenRequest, nic: FakeNic | undefined): Answer {
    if (nic === undefined) return refusal(404, 'ResourceNotFound');
    if (request.method === 'PUT') return this.#write(request, nic);
    const answer = json(200, nicBody(nic));
    this.afterRead(nic);
    return answer;
  }

  #write(request: SeenRequest, nic: FakeNic): Answer {
    if (request.headers['if-match'] !== tagOf(nic)) return refusal(412, 'PreconditionFailed');
    const body = JSON.parse(request.body) as {
      readonly properties: { readonly ipConfigurations: Record<string, unknown>[] };
    };
    const configs = body.properties.ipConfigurations;
    const code = this.#whyNot(nic, configs);
    if (code !== undefined) return refusal(400, code);
    this.writes += 1;
    const id = `/operations/${String(this.#operations.size + 1)}`;
    const failing = this.failing;
    this.failing = undefined;
    const end = (): string | undefined => {
      if (failing !== undefined) return failing;
      for (const address of nic.configs.map(addressOf))
        if (!configs.map(addressOf).includes(address)) this.others.set(address, '');
      nic.configs = configs;
      nic.etag += 1;
      return undefined;
    };
    this.#operations.set(id, { looks: this.looks, end });
    return json(200, nicBody(nic), { 'azure-asyncoperation': new URL(id, this.url).toString(), 'retry-after': '0' });
  }

  #whyNot(nic: FakeNic, configs: readonly Record<string, unknown>[]): string | undefined {
    if (configs.length > 256) return 'IPConfigurationCountExceeded';
    const others = [...this.nics.values()]
      .filter((each) => each !== nic)
      .flatMap((each) => each.configs.map(addressOf));
    if (configs.some((config) => others.includes(addressOf(config)))) return 'PrivateIPAddressInUse';
    const isRuled = (config: Record<string, unknown>): boolean =>
      poolsOf(config).some((id) => this.pools.get(id.split('/').at(-1) ?? '') === true);
    return configs.some((config) => propertiesOf(config)['primary'] !== true && isRuled(config))
      ? 'OutboundRuleCannotBeUsedWithBackendAddressPoolThatIsReferencedBySecondaryIpConfigs'
      : undefined;
  }

  #operation(path: string): Answer {
    const found = this.#operations.get(path);
    if (found === undefined) return refusal(404, 'NotFound');
    if (found.looks-- > 0) return json(200, { status: 'InProgress' }, { 'retry-after': '0' });
    const code = found.end();
    return code === undefined
      ? json(200, { status: 'Succeeded' })
      : json(200, { status: 'Failed', error: { code, message: 'the operation failed' } });
  }

  #network(): Answer {
    const nics = [...this.nics.values()].flatMap(({ id, configs }) =>
      configs.map((config) => ({
        id: `${id}/ipConfigurations/${String(config['name'])}`,
        properties: { privateIPAddress: addressOf(config) },
      })),
    );
    const others = [...this.others].map(([address, of]) => ({
      id: of === '' ? `${VNET}/x` : `${NETWORK}/loadBalancers/${of}/frontendIPConfigurations/front`,
      properties: { privateIPAddress: address },
    }));
    const shown = [
      ...nics,
      ...others.filter(
        (each) => !nics.some(({ properties }) => properties.privateIPAddress === each.properties.privateIPAddress),
      ),
    ];
    const subnet = { id: AZURE_SUBNET, properties: { addressPrefix: '10.1.0.0/24', ipConfigurations: shown } };
    return json(200, { id: VNET, properties: { subnets: [subnet] } });
  }

  #pool(name: string): Answer {
    const found = [...this.pools].find(([each]) => each.toLowerCase() === name);
    if (found === undefined) return refusal(404, 'ResourceNotFound');
    const outboundRules = found[1] ? [{ id: 'rule' }] : [];
    return json(200, { id: poolId(found[0]), properties: { outboundRules } });
  }

  #page({ url }: SeenRequest, all: readonly unknown[]): Answer {
    const from = Number(url.searchParams.get('$skiptoken') ?? 0);
    const next = new URL(url);
    next.searchParams.set('$skiptoken', String(from + this.pageSize));
    const isLast = from + this.pageSize >= all.length;
    return json(200, {
      value: all.slice(from, from + this.pageSize),
      ...(isLast ? {} : { nextLink: next.toString() }),
    });
  }

  #token({ body }: SeenRequest): Answer {
    const params = new URLSearchParams(body);
    const secret = params.get('client_secret');
    const isKnown =
      secret === null
        ? this.assertions.has(params.get('client_assertion') ?? '')
        : this.secrets.get(params.get('client_id') ?? '') === secret;
    if (!isKnown)
      return json(401, { error: 'invalid_client', error_description: `the secret ${String(secret)} is wrong` });
    this.logins += 1;
    return json(200, { token_type: 'Bearer', expires_in: 3599, access_token: `token-${String(this.logins)}` });
  }

  #nic(name: string, configs: readonly FakeConfig[]): FakeNic {
    const made = configs.map(({ name: of, address, primary = false, pools = [] }) => ({
      name: of,
      properties: {
        privateIPAddress: address,
        privateIPAllocationMethod: 'Dynamic',
        primary,
        subnet: { id: AZURE_SUBNET },
        ...(pools.length === 0 ? {} : { loadBalancerBackendAddressPools: pools.map((each) => ({ id: poolId(each) })) }),
      },
    }));
    const nic = { id: `${NETWORK}/networkInterfaces/${name}`, etag: 1, configs: made };
    this.nics.set(name, nic);
    return nic;
  }
}

const tagOf = ({ etag }: FakeNic): string => `W/"${String(etag)}"`;

const nicBody = (nic: FakeNic) => ({
  id: nic.id,
  etag: tagOf(nic),
  location: 'westeurope',
  tags: { kept: 'yes' },
  properties: { provisioningState: 'Succeeded', enableIPForwarding: true, ipConfigurations: nic.configs },
});

const propertiesOf = (config: Record<string, unknown>) => config['properties'] as Record<string, unknown>;

const addressOf = (config: Record<string, unknown>): string => String(propertiesOf(config)['privateIPAddress']);

const poolsOf = (config: Record<string, unknown>): readonly string[] =>
  ((propertiesOf(config)['loadBalancerBackendAddressPools'] ?? []) as readonly { readonly id: string }[]).map(
    ({ id }) => id,
  );
