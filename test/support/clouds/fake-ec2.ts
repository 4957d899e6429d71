import { createHash, createHmac } from 'node:crypto';
import { CloudServer, type Answer, type CloudFault, type SeenRequest } from './cloud-server';

/** An interface of the stand-in. */
export interface FakeInterface {
  readonly id: string;
  readonly subnetId: string;
  /** Absent for an interface of something else than an instance, such as a load balancer. */
  readonly instanceId?: string;
  readonly deviceIndex?: number;
  readonly addresses: string[];
  readonly addresses6: string[];
  readonly prefixes?: readonly string[];
}

/** An instance of the stand-in. */
export interface FakeInstance {
  readonly id: string;
  readonly type: string;
  state?: string;
}

interface FakeSubnet {
  readonly id: string;
  readonly cidr: string;
  readonly cidr6?: string;
}

const VPC = 'vpc-1';

/** Documents of AWS that tell each fault. */
export const EC2_FAULTS = {
  /**
   * Too many calls: status 503, code `RequestLimitExceeded`.
   * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/throttling.html
   */
  throttled: (...actions: readonly string[]): CloudFault =>
    onActions(actions, refusal(503, 'RequestLimitExceeded', 'Request limit exceeded.')),
  /**
   * A right is missing: status 403, code `UnauthorizedOperation`.
   * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
   */
  unauthorized: (...actions: readonly string[]): CloudFault =>
    onActions(actions, refusal(403, 'UnauthorizedOperation', 'You are not authorized to perform this operation.')),
} as const;

function onActions(actions: readonly string[], answer: Answer): CloudFault {
  return ({ body }) => (actions.includes(new URLSearchParams(body).get('Action') ?? '') ? answer : undefined);
}

function refusal(status: number, code: string, message: string): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>r-1</RequestID></Response>`;
  return { status, headers: { 'content-type': 'text/xml' }, body };
}

/**
 * EC2 and STS as their API references describe them, as far as egress addresses need them: the Query protocol with answers in XML, Signature
 * Version 4, pages by `MaxResults` and `NextToken`, filters, and the refusals of `AssignPrivateIpAddresses`
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/).
 */
export class FakeEc2 extends CloudServer {
  readonly instances: FakeInstance[] = [];
  readonly interfaces: FakeInterface[] = [];
  readonly subnets: FakeSubnet[] = [];
  /** Addresses of an interface by type of instance, both families (DescribeInstanceTypes). */
  readonly limits = new Map([['m5.large', 10]]);
  /** Secret by the identifier of the key. */
  readonly keys = new Map([['AKIDEXAMPLE', 'a-secret-key']]);
  /** Tokens of ServiceAccounts that STS takes, with the role. */
  readonly identities = new Map<string, string>();
  /** Most entries of a page, whatever the caller asks for. */
  pageSize = 1000;
  /** Calls of STS. */
  logins = 0;
  readonly #actions: Readonly<Record<string, (params: URLSearchParams) => Answer>> = {
    DescribeInstances: (params) =>
      page(params, {
        action: 'DescribeInstances',
        set: 'reservationSet',
        all: this.#describeInstances(params),
        most: this.pageSize,
      }),
    DescribeNetworkInterfaces: (params) =>
      page(params, {
        action: 'DescribeNetworkInterfaces',
        set: 'networkInterfaceSet',
        all: this.#describeInterfaces(params),
        most: this.pageSize,
      }),
    DescribeSubnets: (params) =>
      page(params, {
        action: 'DescribeSubnets',
        set: 'subnetSet',
        all: this.#describeSubnets(params),
        most: this.pageSize,
      }),
    DescribeInstanceTypes: (params) =>
      page(params, {
        action: 'DescribeInstanceTypes',
        set: 'instanceTypeSet',
        all: this.#describeTypes(params),
        most: this.pageSize,
      }),
    AssignPrivateIpAddresses: (params) => this.#assign(params, 4),
    AssignIpv6Addresses: (params) => this.#assign(params, 6),
    UnassignPrivateIpAddresses: (params) => this.#unassign(params, 4),
    UnassignIpv6Addresses: (params) => this.#unassign(params, 6),
  };

  /** Actions in their order, without reads where that is asked for. */
  actions(only: 'all' | 'writes' = 'all'): readonly string[] {
    const all = this.calls.map(({ body }) => new URLSearchParams(body).get('Action') ?? '');
    return only === 'all' ? all : all.filter((action) => !action.startsWith('Describe'));
  }

  /** An instance with its primary interface, of which the first address is its own. */
  addInstance(
    id: string,
    of: { readonly subnet: string; readonly addresses: readonly string[]; readonly type?: string },
  ) {
    this.instances.push({ id, type: of.type ?? 'm5.large' });
    const made = {
      id: `eni-${id}`,
      subnetId: of.subnet,
      instanceId: id,
      deviceIndex: 0,
      addresses: [...of.addresses],
      addresses6: [],
    };
    this.interfaces.push(made);
    return made;
  }

  /** An instance ends: it is listed on for about an hour, without interfaces (EC2 user guide, "Terminate instances"). */
  terminate(id: string): void {
    const found = this.instances.find((each) => each.id === id);
    if (found !== undefined) found.state = 'terminated';
    this.interfaces.splice(0, Infinity, ...this.interfaces.filter(({ instanceId }) => instanceId !== id));
  }

  protected answer(request: SeenRequest): Answer {
    const params = new URLSearchParams(request.body);
    const action = params.get('Action') ?? '';
    if (action === 'AssumeRoleWithWebIdentity') return this.#assume(params);
    if (!this.#isSigned(request)) return refusal(403, 'SignatureDoesNotMatch', 'The request signature does not match.');
    const known = this.#actions[action];
    return known === undefined ? refusal(400, 'InvalidAction', `The action ${action} is not valid`) : known(params);
  }

  #describeInstances(params: URLSearchParams): readonly string[] {
    const ids = filterOf(params, 'instance-id');
    const asked = listOf(params, 'InstanceId');
    const known = this.instances.map(({ id }) => id);
    // a single unknown identifier fails the whole call
    if (asked.some((id) => !known.includes(id))) return [];
    const wanted = ids ?? (asked.length > 0 ? asked : known);
    return this.instances
      .filter(({ id }) => wanted.includes(id))
      .map(({ id, type, state = 'running' }) => {
        const own = this.interfaces.filter(({ instanceId }) => instanceId === id);
        // the primary interface is not the first one of the list
        const set = [...own].reverse().map((each) => `<item>${interfaceXml(each)}</item>`);
        return `<reservationId>r-${id}</reservationId><instancesSet><item><instanceId>${id}</instanceId><instanceState><code>16</code><name>${state}</name></instanceState><instanceType>${type}</instanceType><networkInterfaceSet>${set.join('')}</networkInterfaceSet></item></instancesSet>`;
      });
  }

  #describeInterfaces(params: URLSearchParams): readonly string[] {
    const subnets = filterOf(params, 'subnet-id');
    return this.interfaces.filter(({ subnetId }) => subnets?.includes(subnetId) !== false).map(interfaceXml);
  }

  #describeSubnets(params: URLSearchParams): readonly string[] {
    const [ids, networks] = [filterOf(params, 'subnet-id'), filterOf(params, 'vpc-id')];
    return this.subnets
      .filter(({ id }) => ids?.includes(id) !== false && networks?.includes(VPC) !== false)
      .map(({ id, cidr, cidr6 }) => {
        const v6 =
          cidr6 === undefined
            ? ''
            : `<ipv6CidrBlockAssociationSet><item><ipv6CidrBlock>${cidr6}</ipv6CidrBlock></item></ipv6CidrBlockAssociationSet>`;
        return `<subnetId>${id}</subnetId><vpcId>${VPC}</vpcId><cidrBlock>${cidr}</cidrBlock>${v6}`;
      });
  }

  #describeTypes(params: URLSearchParams): readonly string[] {
    const types = filterOf(params, 'instance-type');
    return [...this.limits]
      .filter(([type]) => types?.includes(type) !== false)
      .map(
        ([type, most]) =>
          `<instanceType>${type}</instanceType><networkInfo><ipv4AddressesPerInterface>${String(most)}</ipv4AddressesPerInterface><ipv6AddressesPerInterface>${String(most)}</ipv6AddressesPerInterface><ipv6Supported>true</ipv6Supported></networkInfo>`,
      );
  }

  #assign(params: URLSearchParams, family: 4 | 6): Answer {
    const found = this.#interfaceIn(params);
    if (found === undefined) return refusal(400, 'InvalidNetworkInterfaceID.NotFound', 'There is no such interface');
    const list = listIn(found, family);
    const asked = askedIn(params, family);
    if (this.#isTaken(asked, found) && params.get('AllowReassignment') !== 'true')
      return refusal(400, 'InvalidIPAddress.InUse', 'The specified IP address is already in use.');
    const fresh = asked.filter((address) => !list.includes(address));
    if (list.length + fresh.length > this.#roomOf(found, family))
      return refusal(400, 'PrivateIpAddressLimitExceeded', 'Number of private addresses will exceed limit.');
    list.push(...fresh);
    return done(family === 4 ? 'AssignPrivateIpAddresses' : 'AssignIpv6Addresses');
  }

  #roomOf({ instanceId, prefixes = [] }: FakeInterface, family: 4 | 6): number {
    const type = this.instances.find(({ id }) => id === instanceId)?.type ?? '';
    return (this.limits.get(type) ?? 0) - (family === 4 ? prefixes.length : 0);
  }

  #isTaken(asked: readonly string[], except: FakeInterface): boolean {
    const others = this.interfaces.filter((each) => each !== except);
    const all = others.flatMap((each) => [...listIn(each, 4), ...listIn(each, 6)]);
    return asked.some((address) => all.includes(address));
  }

  #unassign(params: URLSearchParams, family: 4 | 6): Answer {
    const found = this.#interfaceIn(params);
    if (found === undefined) return refusal(400, 'InvalidNetworkInterfaceID.NotFound', 'There is no such interface');
    const list = listIn(found, family);
    const asked = askedIn(params, family);
    // the primary address of an instance cannot be taken off
    const removable = family === 4 ? list.slice(1) : list;
    if (asked.some((address) => !removable.includes(address)))
      return refusal(400, 'InvalidParameterValue', 'Some of the addresses are not assigned to the interface');
    list.splice(0, Infinity, ...list.filter((address) => !asked.includes(address)));
    return done(family === 4 ? 'UnassignPrivateIpAddresses' : 'UnassignIpv6Addresses');
  }

  #interfaceIn(params: URLSearchParams): FakeInterface | undefined {
    return this.interfaces.find(({ id }) => id === params.get('NetworkInterfaceId'));
  }

  #assume(params: URLSearchParams): Answer {
    this.logins += 1;
    const role = this.identities.get(params.get('WebIdentityToken') ?? '');
    if (role === undefined || role !== params.get('RoleArn')) {
      const body = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code><Message>token ${String(params.get('WebIdentityToken'))} is not valid</Message></Error></ErrorResponse>`;
      return { status: 400, headers: { 'content-type': 'text/xml' }, body };
    }
    const key = `ASIA${String(this.logins)}`;
    this.keys.set(key, `temporary-${String(this.logins)}`);
    const credentials = `<AccessKeyId>${key}</AccessKeyId><SecretAccessKey>temporary-${String(this.logins)}</SecretAccessKey><SessionToken>session-${String(this.logins)}</SessionToken><Expiration>2126-01-01T00:00:00Z</Expiration>`;
    return xml(
      'AssumeRoleWithWebIdentity',
      `<AssumeRoleWithWebIdentityResult><Credentials>${credentials}</Credentials></AssumeRoleWithWebIdentityResult>`,
    );
  }

  #isSigned(request: SeenRequest): boolean {
    const signed = signedIn(request);
    const secret = this.keys.get(signed?.key ?? '');
    return signed !== undefined && secret !== undefined && signatureOf(request, signed, secret) === signed.signature;
  }
}

interface Signed {
  readonly key: string;
  readonly scope: string;
  readonly names: string;
  readonly signature: string;
}

function signedIn({ headers }: SeenRequest): Signed | undefined {
  const text = headers.authorization ?? '';
  const form =
    /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/(?<scope>[^,]+), ?SignedHeaders=(?<names>[^,]+), ?Signature=(?<signature>[0-9a-f]+)$/u;
  const groups = form.exec(text)?.groups as unknown as Signed | undefined;
  const isWhole = groups?.scope.endsWith('/ec2/aws4_request') === true && groups.names.split(';').includes('host');
  return isWhole ? groups : undefined;
}

// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
function signatureOf({ method, headers, body, url }: SeenRequest, { scope, names }: Signed, secret: string): string {
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, url.pathname, '', lines.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`));
  return hmac(key, text).toString('hex');
}

const listIn = (of: FakeInterface, family: 4 | 6): string[] => (family === 4 ? of.addresses : of.addresses6);

const askedIn = (params: URLSearchParams, family: 4 | 6): readonly string[] =>
  listOf(params, family === 4 ? 'PrivateIpAddress' : 'Ipv6Addresses');

interface Page {
  readonly action: string;
  readonly set: string;
  readonly all: readonly string[];
  readonly most: number;
}

function page(params: URLSearchParams, { action, set, all, most }: Page): Answer {
  const from = Number(params.get('NextToken') ?? 0);
  const size = Math.min(most, Number(params.get('MaxResults') ?? 1000));
  const items = all.slice(from, from + size).map((each) => `<item>${each}</item>`);
  const next = from + size < all.length ? `<nextToken>${String(from + size)}</nextToken>` : '';
  return xml(action, `<${set}>${items.join('')}</${set}>${next}`);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function xml(action: string, body: string): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'text/xml;charset=UTF-8' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r-1</requestId>${body}</${action}Response>`,
  };
}

const done = (action: string): Answer => xml(action, '<return>true</return>');

function interfaceXml({ id, subnetId, instanceId, deviceIndex, addresses, addresses6, prefixes = [] }: FakeInterface) {
  const attachment =
    instanceId === undefined
      ? ''
      : `<attachment><attachmentId>a-${id}</attachmentId><instanceId>${instanceId}</instanceId><deviceIndex>${String(deviceIndex ?? 0)}</deviceIndex></attachment>`;
  const v4 = addresses.map(
    (address, index) =>
      `<item><privateIpAddress>${address}</privateIpAddress><primary>${String(index === 0)}</primary></item>`,
  );
  const v6 = addresses6.map((address) => `<item><ipv6Address>${address}</ipv6Address></item>`);
  const blocks = prefixes.map((prefix) => `<item><ipv4Prefix>${prefix}</ipv4Prefix></item>`);
  return `<networkInterfaceId>${id}</networkInterfaceId><subnetId>${subnetId}</subnetId><vpcId>${VPC}</vpcId>${attachment}<privateIpAddressesSet>${v4.join('')}</privateIpAddressesSet><ipv6AddressesSet>${v6.join('')}</ipv6AddressesSet><ipv4PrefixSet>${blocks.join('')}</ipv4PrefixSet>`;
}

function listOf(params: URLSearchParams, name: string): readonly string[] {
  const all: string[] = [];
  for (let index = 1; params.has(`${name}.${String(index)}`); index++)
    all.push(params.get(`${name}.${String(index)}`) ?? '');
  return all;
}

function filterOf(params: URLSearchParams, name: string): readonly string[] | undefined {
  for (let index = 1; params.has(`Filter.${String(index)}.Name`); index++)
    if (params.get(`Filter.${String(index)}.Name`) === name) return listOf(params, `Filter.${String(index)}.Value`);
  return undefined;
}
