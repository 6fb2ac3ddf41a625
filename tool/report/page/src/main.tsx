import { render } from "preact";
import { App } from "./app";
import { readReport } from "./data";

const page = document.getElementById("page")!;
page.textContent = "";
render(<App report={readReport()} />, page);
