import { createRequire } from 'node:module';

describe('the folder constructs', () => {
  test('does not hide the package of the same name', () => {
    const load = createRequire(__filename);
    expect(load('constructs')).toHaveProperty('Construct');
  });
});
