import { lintByJsii } from '../support/jsii/lint';

describe('the lint by jsii', () => {
  test('names every prop that another language cannot have', () => {
    const { problems, types } = lintByJsii('test/support/apps/not-for-jsii.ts');
    expect(problems.join('\n')).toMatch(/not-for-jsii\.ts:\d+:\d+ - error JSII/);
    expect(types).toEqual([]);
  });
});
