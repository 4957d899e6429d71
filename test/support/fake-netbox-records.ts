import { parseAddress, type Address } from '../../operator/addressing/address';
import { parsePrefix, Prefix } from '../../operator/addressing/prefix';
import { PrefixSetBuilder } from '../../operator/addressing/prefix-set';

/** A prefix as the stand-in keeps it. */
export interface FakePrefix {
  readonly id: number;
  readonly prefix: string;
  readonly status: string;
  readonly vrf: number | null;
  readonly tenant: number | null;
  readonly role: number | null;
  readonly tags: readonly number[];
  readonly custom_fields: Readonly<Record<string, string | null>>;
}

/** An IP address object, with the mask that its author gave. */
export interface FakeIpAddress {
  readonly id: number;
  readonly address: string;
  readonly vrf: number | null;
}

/** An IP range, with the masks that its author gave. */
export interface FakeIpRange {
  readonly id: number;
  readonly start_address: string;
  readonly end_address: string;
  readonly vrf: number | null;
}

/** Whatever is refused, with the body that NetBox gives: `{"field": ["sentence"]}`. */
export class Invalid extends Error {
  readonly body: Readonly<Record<string, readonly string[]>>;

  constructor(field: string, sentence: string) {
    super(sentence);
    this.body = { [field]: [sentence] };
  }
}

type Body = Readonly<Record<string, unknown>>;

/** Records that an administrator set up, and those that callers made. */
export class FakeRecords {
  readonly vrfs = new Map<number, { readonly name: string; enforceUnique: boolean }>([
    [7, { name: 'nhc', enforceUnique: true }],
  ]);
  readonly tenants = new Map([[3, 'NHN']]);
  readonly roles = new Map([[5, 'datacenter']]);
  readonly tags = new Map([[11, 'vitistack']]);
  readonly choiceSets: { readonly name: string; choices: readonly string[] }[] = [
    { name: 'old_k8s_zone_choices', choices: ['wrong'] },
    { name: 'k8s_zone_choices', choices: ['inet', 'dmz'] },
  ];
  readonly customFields = new Set(['domain', 'env', 'infra', 'purpose', 'k8s_uuid', 'k8s_zone']);
  readonly prefixes = new Map<number, FakePrefix>();
  readonly ipAddresses: FakeIpAddress[] = [];
  readonly ipRanges: FakeIpRange[] = [];
  /** Prefixes that no permission of the token shows; NetBox counts them all the same. */
  readonly hidden = new Set<number>();
  /** Prefixes outside of what the token may write: NetBox answers 404. */
  readonly unwritable = new Set<number>();
  /** Rights of the token beside those on prefixes. */
  readonly rights = { viewTags: true, viewRanges: true };
  /** Whether the table without a VRF takes a prefix once. */
  enforceGlobalUnique = true;
  #nextId = 100;

  /** Adds a prefix as an administrator does, without the checks of the API. */
  put(prefix: string, more: Partial<Omit<FakePrefix, 'id' | 'prefix'>> = {}): FakePrefix {
    const fresh = { status: 'active', vrf: 7, tenant: 3, role: 5, tags: [], custom_fields: {} };
    const record: FakePrefix = { ...fresh, ...more, id: ++this.#nextId, prefix };
    this.prefixes.set(record.id, record);
    return record;
  }

  /** Adds a container of a zone. */
  container(zone: string, prefix: string, more: Partial<Omit<FakePrefix, 'id' | 'prefix'>> = {}): FakePrefix {
    const custom_fields = { k8s_zone: zone, infra: 'prod', domain: 'na', env: 'na', purpose: 'na', k8s_uuid: null };
    return this.put(prefix, { status: 'container', custom_fields, ...more });
  }

  /** Adds an IP address object. */
  ipAddress(address: string, vrf: number | null = 7): void {
    this.ipAddresses.push({ id: ++this.#nextId, address, vrf });
  }

  /** Adds an IP range. */
  ipRange(start_address: string, end_address: string, vrf: number | null = 7): void {
    this.ipRanges.push({ id: ++this.#nextId, start_address, end_address, vrf });
  }

  /** Ranges that a query selects, by the table alone. */
  selectRanges(query: URLSearchParams): readonly FakeIpRange[] {
    const vrf = query.get('vrf_id');
    return this.ipRanges.filter((range) => vrf === null || String(range.vrf) === vrf);
  }

  /** Host prefixes in the order of their addresses, as `address mark`. */
  hosts(): readonly string[] {
    const hosts = [...this.prefixes.values()].filter((record) => isHost(prefixIn(record.prefix)));
    hosts.sort((a, b) => prefixIn(a.prefix).first.compareTo(prefixIn(b.prefix).first) || a.id - b.id);
    return hosts.map(({ prefix }) => prefix);
  }

  create(body: Body): FakePrefix {
    const record = this.#checked({ id: this.#nextId + 1, ...this.#fields(body) }, body);
    this.#nextId = record.id;
    this.prefixes.set(record.id, record);
    return record;
  }

  change(before: FakePrefix, body: Body): FakePrefix {
    const custom = body['custom_fields'] as FakePrefix['custom_fields'] | undefined;
    const merged = { ...before, ...body, custom_fields: { ...before.custom_fields, ...custom } };
    const record = this.#checked({ id: before.id, ...this.#fields(merged) }, merged);
    this.prefixes.set(record.id, record);
    return record;
  }

  /** Takes the lowest free prefix of a length inside a prefix; undefined when there is none. */
  createNext(parent: FakePrefix, body: Body): FakePrefix | undefined {
    const length = body['prefix_length'];
    if (typeof length !== 'number') throw new Invalid('prefix_length', 'This field is required.');
    const free = this.free(parent).find((prefix) => prefix.length <= length);
    if (free === undefined) return undefined;
    const { prefix_length: _, ...rest } = body;
    return this.create({ vrf: parent.vrf, ...rest, prefix: new Prefix(free.first, length).toString() });
  }

  /** Lists the space of a prefix that no child covers. */
  free(parent: FakePrefix): readonly Prefix[] {
    const space = new PrefixSetBuilder().add(prefixIn(parent.prefix));
    for (const child of this.#inVrf(parent.vrf)) {
      const inner = prefixIn(child.prefix);
      if (child.id !== parent.id && prefixIn(parent.prefix).containsPrefix(inner)) space.subtract(inner);
    }
    return space.build().prefixes();
  }

  /** Finds a prefix that the token may see, or write. */
  permitted(id: number, right: 'view' | 'change'): FakePrefix | undefined {
    if (this.hidden.has(id) || (right === 'change' && this.unwritable.has(id))) return undefined;
    return this.prefixes.get(id);
  }

  /** Prefixes that a query of the list endpoint selects; filters that NetBox does not know are ignored, as it does. */
  select(query: URLSearchParams): readonly FakePrefix[] {
    const tests = [...query].map(([name, value]) => this.#filter(name, value));
    const shown = [...this.prefixes.values()].filter(({ id }) => !this.hidden.has(id));
    return shown.filter((record) => tests.every((test) => test(record)));
  }

  selectIps(query: URLSearchParams): readonly FakeIpAddress[] {
    const [address, vrf, parent] = ['address', 'vrf_id', 'parent'].map((name) => query.get(name));
    return this.ipAddresses.filter((record) => {
      const own = record.address.split('/')[0] ?? '';
      if (typeof address === 'string' && !addressIn(own).equals(addressIn(address.split('/')[0] ?? ''))) return false;
      if (typeof parent === 'string' && !prefixIn(parent).contains(addressIn(own))) return false;
      return vrf === null || String(record.vrf) === vrf;
    });
  }

  #filter(name: string, value: string): (record: FakePrefix) => boolean {
    const filters: Record<string, (record: FakePrefix) => boolean> = {
      status: (record) => record.status === value,
      cf_k8s_zone: (record) => record.custom_fields['k8s_zone'] === value,
      cf_k8s_uuid: (record) => record.custom_fields['k8s_uuid'] === value,
      prefix: (record) => prefixIn(record.prefix).equals(prefixIn(value)),
      // a prefix is in itself, but an address without a mask is not in its own host prefix
      contains: (record) =>
        value.includes('/')
          ? prefixIn(record.prefix).containsPrefix(prefixIn(value))
          : prefixIn(record.prefix).contains(addressIn(value)) && !isHost(prefixIn(record.prefix)),
      within: (record) => prefixIn(value).containsPrefix(prefixIn(record.prefix)) && record.prefix !== value,
      mask_length: (record) => prefixIn(record.prefix).length === Number(value),
      vrf_id: (record) => String(record.vrf) === value,
      present_in_vrf_id: (record) => String(record.vrf) === value,
      tag: (record) => record.tags.some((tag) => this.tags.get(tag) === value),
    };
    return filters[name] ?? (() => true);
  }

  #fields(body: Body): Omit<FakePrefix, 'id'> {
    const prefix = body['prefix'];
    if (typeof prefix !== 'string') throw new Invalid('prefix', 'This field is required.');
    const parsed = parsePrefix(prefix.includes('/') ? prefix : hostText(prefix));
    if (!parsed.ok) throw new Invalid('prefix', `${prefix} is not a valid prefix.`);
    const status = (body['status'] ?? 'active') as string;
    if (!['container', 'active', 'reserved', 'deprecated'].includes(status))
      throw new Invalid('status', `"${status}" is not a valid choice.`);
    return {
      prefix: parsed.value.toString(),
      status,
      vrf: related(body, 'vrf', this.vrfs),
      tenant: related(body, 'tenant', this.tenants),
      role: related(body, 'role', this.roles),
      tags: (Array.isArray(body['tags']) ? (body['tags'] as unknown[]) : []).map((tag) => this.#tag(tag)),
      custom_fields: (body['custom_fields'] ?? {}) as FakePrefix['custom_fields'],
    };
  }

  #tag(tag: unknown): number {
    if (typeof tag === 'number' && this.tags.has(tag)) return tag;
    const { name } = (typeof tag === 'object' && tag !== null ? tag : {}) as { readonly name?: string };
    const found = [...this.tags].find(([, known]) => known === name);
    // 4.6.8 looks for it among those that the token may see
    if (found !== undefined && this.rights.viewTags) return found[0];
    throw new Invalid('tags', `Related object not found using the provided attributes: {'name': '${String(name)}'}`);
  }

  #checked(record: FakePrefix, body: Body): FakePrefix {
    const custom = (body['custom_fields'] ?? {}) as FakePrefix['custom_fields'];
    for (const name of Object.keys(custom))
      if (!this.customFields.has(name))
        throw new Invalid('__all__', `Custom field '${name}' does not exist for this object type.`);
    for (const name of ['domain', 'env', 'infra', 'purpose'].filter((each) => this.customFields.has(each))) {
      if ((custom[name] ?? '') === '') throw new Invalid('__all__', `Missing required custom field '${name}'.`);
    }
    this.#checkZone(custom['k8s_zone'] ?? null);
    this.#checkUnique(record);
    return record;
  }

  #checkZone(zone: string | null): void {
    const choices = this.choiceSets.find(({ name }) => name === 'k8s_zone_choices')?.choices ?? [];
    if (zone !== null && !choices.includes(zone))
      throw new Invalid(
        '__all__',
        `Invalid value for custom field 'k8s_zone': Invalid choice (${zone}) for choice set k8s_zone_choices.`,
      );
  }

  #checkUnique(record: FakePrefix): void {
    const unique = record.vrf === null ? this.enforceGlobalUnique : this.vrfs.get(record.vrf)?.enforceUnique;
    const same = this.#inVrf(record.vrf).find((other) => other.id !== record.id && other.prefix === record.prefix);
    if (unique !== true || same === undefined) return;
    const table = record.vrf === null ? 'global table' : `VRF ${this.vrfs.get(record.vrf)?.name ?? ''}`;
    throw new Invalid('prefix', `Duplicate prefix found in ${table}: ${same.prefix}`);
  }

  #inVrf(vrf: number | null): readonly FakePrefix[] {
    return [...this.prefixes.values()].filter((record) => record.vrf === vrf);
  }
}

function related(body: Body, field: string, known: ReadonlyMap<number, unknown>): number | null {
  const id = body[field] ?? null;
  if (id === null || (typeof id === 'number' && known.has(id))) return id;
  throw new Invalid(field, `Related object not found using the provided numeric ID: ${JSON.stringify(id)}`);
}

function hostText(address: string): string {
  return `${address}/${address.includes(':') ? 128 : 32}`;
}

function prefixIn(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Invalid('prefix', `${text} is not a valid prefix.`);
  return parsed.value;
}

function addressIn(text: string): Address {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Invalid('address', `${text} is not a valid address.`);
  return parsed.value;
}

function isHost({ family, length }: Prefix): boolean {
  return length === (family === 4 ? 32 : 128);
}
