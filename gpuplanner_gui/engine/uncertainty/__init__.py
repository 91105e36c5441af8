"""How sure a plan is: samples of its uncertain inputs, error of the models, what moves the answer and by how much."""
