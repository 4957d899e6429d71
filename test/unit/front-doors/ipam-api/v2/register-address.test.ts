import { addressOf } from '../../../../../operator/addressing/address';
import { accept, refuse, type Outcome } from '../../../../../operator/errors/outcome';
import { register } from '../../../../../operator/front-doors/ipam-api/v2/register-address';
import type { AddressBook, Grant, RotateRequest } from '../../../../../operator/ports/address-book';
import { ask, claimant, CUSTOM } from '../../../../support/ledger-world';

const grant = (address: string, change: Partial<Grant> = {}): Grant => ({
  network: 'default',
  zone: 'z',
  family: 4,
  address: addressOf(address),
  state: 'bound',
  holderId: 'h',
  writtenKeys: [],
  created: true,
  sharedWith: [],
  ...change,
});
const next = { value: 'battery-staple', scope: 'shared' } as const;
const reserve = ask(claimant('a/web'), { secret: CUSTOM, as: 'bound' });

describe('register with a new secret', () => {
  const book = (parts: Partial<AddressBook>) => parts as AddressBook;

  test('rotates the address that the shown secret owns, among several', async () => {
    const rotate = ({ address }: RotateRequest): Promise<Outcome<Grant>> =>
      Promise.resolve(
        address.toString() === '192.0.2.1'
          ? refuse('secret/wrong', 'wrong')
          : accept(grant('192.0.2.2', { created: false })),
      );
    const holdings = () => Promise.resolve([grant('192.0.2.1'), grant('192.0.2.2')]);
    expect(await register(book({ rotate, holdings }), { reserve, newSecret: next })).toEqual({
      ok: true,
      value: { message: 'Address updated successfully', address: '192.0.2.2/32' },
    });
  });

  test('leaves addresses of other zones and families alone', async () => {
    const rotate = jest.fn();
    const holdings = () => Promise.resolve([grant('192.0.2.1', { zone: 'y' }), grant('2001:db8::1', { family: 6 })]);
    const outcome = await register(
      book({ rotate, holdings, reserve: () => Promise.resolve(accept(grant('192.0.2.3'))) }),
      {
        reserve,
        newSecret: next,
      },
    );
    expect(rotate).not.toHaveBeenCalled();
    expect(outcome).toMatchObject({ ok: true, value: { address: '192.0.2.3/32' } });
  });

  test('takes back a join that would look like a rotation', async () => {
    const joined = grant('192.0.2.1', { sharedWith: ['b/web'] });
    const undo = jest.fn(() => Promise.resolve());
    const outcome = await register(
      book({
        rotate: () => Promise.resolve(refuse('claim/not-found', 'nobody')),
        reserve: () => Promise.resolve(accept(joined)),
        undo,
      }),
      { reserve: { ...reserve, wish: addressOf('192.0.2.1') }, newSecret: next },
    );
    expect(undo).toHaveBeenCalledWith(joined);
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'secret/shared' } });
  });
});
